import type { Access } from "@easel/protocol/types";
import { containing, joined, type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { changeCanvas } from "./change-canvas.ts";
import { RETENTION_MS } from "./deletion.ts";

/** The columns of a canvas that administrators see. They do not include its content, the people with whom it is shared, or its metadata. */
export interface AdminCanvasRow {
  id: string;
  slug: string;
  title: string;
  owner_id: string;
  owner_email: string;
  owner_name: string;
  created_at: number;
  updated_at: number;
  version_id: string | null;
  access: Access;
  has_password: number;
  expires_at: number | null;
  revoked_at: number | null;
  archived_at: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
  deleted_at: number | null;
}

const COLUMNS = sql`
  select canvases.id, slug, title, owner_id, users.email as owner_email, users.name as owner_name,
    canvases.created_at, updated_at, version_id, access, expires_at, revoked_at, archived_at, disabled_at,
    disabled_reason, deleted_at, case when password_hash is null then 0 else 1 end as has_password
  from canvases join users on users.id = owner_id where`;

/** Which canvases of all owners are listed. */
interface AdminFilter {
  /** A text that must occur in the title, the slug or the owner's e-mail address. */
  q: string;
  cursor: string;
  limit: number;
  /** Whether deleted canvases are listed that can be restored, instead of those that are not deleted. */
  deleted: boolean;
  /** A further condition on a row of `canvases`. */
  only?: Sql | undefined;
}

/** Reads a page of the canvases of all owners, newest first, with ids that are less than `cursor`. */
export function listForAdmin(
  { q, cursor, limit, deleted, only }: AdminFilter,
  { db, clock }: Env,
): Promise<AdminCanvasRow[]> {
  const like = containing(q);
  return db.all<AdminCanvasRow>(
    ...joined([
      COLUMNS,
      deleted ? sql`deleted_at > ${clock() - RETENTION_MS}` : sql`deleted_at is null`,
      sql`and canvases.id < ${cursor}
        and (lower(title) like ${like} escape '!' or slug like ${like} escape '!' or lower(users.email) like ${like} escape '!')`,
      ...(only === undefined ? [] : [sql`and (`, only, sql`)`]),
      sql`order by canvases.id desc limit ${limit}`,
    ]),
  );
}

/** Reads a canvas by its id. Finds a deleted canvas too while it can be restored. Returns undefined if there is no such canvas. */
export function findForAdmin(id: string, { db, clock }: Env): Promise<AdminCanvasRow | undefined> {
  return db.get<AdminCanvasRow>(
    ...joined([
      COLUMNS,
      sql`canvases.id = ${id} and (deleted_at is null or deleted_at > ${clock() - RETENTION_MS})`,
    ]),
  );
}

/** Finds the id of the canvas with a slug, of deleted ones that of the newest. Returns undefined if there is none. */
export async function findIdBySlug(slug: string, { db }: Env): Promise<string | undefined> {
  const row = await db.get<{ id: string }>`
    select id from canvases where slug = ${slug} order by deleted_at is not null, id desc limit 1`;
  return row?.id;
}

/**
 * Disables a canvas, or replaces the reason if it is disabled already. Works on a deleted canvas too while it can be restored. Returns
 * false if there is no such canvas.
 */
export async function disableCanvas(id: string, reason: string | null, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const changed = await db.withReserve.run(
    ...changeCanvas(now)`
    disabled_at = coalesce(disabled_at, ${now}), disabled_reason = ${reason}
    where id = ${id} and (deleted_at is null or deleted_at > ${now - RETENTION_MS})`,
  );
  return changed === 1;
}

/**
 * Enables a canvas; changes nothing but `updated_at` if it is not disabled. Works on a deleted canvas too while it can be restored. Returns
 * false if there is no such canvas.
 */
export async function enableCanvas(id: string, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const changed = await db.run(
    ...changeCanvas(now)`
    disabled_at = null, disabled_reason = null
    where id = ${id} and (deleted_at is null or deleted_at > ${now - RETENTION_MS})`,
  );
  return changed === 1;
}

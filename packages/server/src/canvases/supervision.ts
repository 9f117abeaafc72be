import type { Access } from "@easel/protocol/types";
import { containing } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a deleted canvas is kept and can be restored, in milliseconds. */
export const KEPT_MS = 30 * DAY_MS;

/** A canvas as administrators supervise it: nothing of its content, of the people on its list or of its metadata. */
export interface SupervisedRow {
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

/**
 * Canvases of everyone, newest first, from before `cursor`: those that are there, or those that can be restored. `q` is
 * looked for in title, slug and the owner's address.
 */
export function listSupervised(
  { q, cursor, limit, deleted }: { q: string; cursor: string; limit: number; deleted: boolean },
  { db, clock }: Env,
): Promise<SupervisedRow[]> {
  const like = containing(q);
  return db.all<SupervisedRow>`
    select canvases.id, slug, title, owner_id, users.email as owner_email, users.name as owner_name,
      canvases.created_at, updated_at, version_id, access, expires_at, revoked_at, archived_at, disabled_at,
      disabled_reason, deleted_at, case when password_hash is null then 0 else 1 end as has_password
    from canvases join users on users.id = owner_id
    where canvases.id < ${cursor}
      and ((${Number(deleted)} = 0 and deleted_at is null) or (${Number(deleted)} = 1 and deleted_at > ${clock() - KEPT_MS}))
      and (lower(title) like ${like} escape '!' or slug like ${like} escape '!' or lower(users.email) like ${like} escape '!')
    order by canvases.id desc limit ${limit}`;
}

/** A canvas by id, as long as it is kept; undefined otherwise. */
export function findSupervised(id: string, { db, clock }: Env): Promise<SupervisedRow | undefined> {
  return db.get<SupervisedRow>`
    select canvases.id, slug, title, owner_id, users.email as owner_email, users.name as owner_name,
      canvases.created_at, updated_at, version_id, access, expires_at, revoked_at, archived_at, disabled_at,
      disabled_reason, deleted_at, case when password_hash is null then 0 else 1 end as has_password
    from canvases join users on users.id = owner_id
    where canvases.id = ${id} and (deleted_at is null or deleted_at > ${clock() - KEPT_MS})`;
}

/** Disables a canvas, also a deleted one before it is restored; the reason is the new one. False when there is none. */
export async function disableCanvas(id: string, reason: string | null, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const changed = await db.run`
    update canvases set disabled_at = coalesce(disabled_at, ${now}), disabled_reason = ${reason}, updated_at = ${now}
    where id = ${id} and (deleted_at is null or deleted_at > ${now - KEPT_MS})`;
  return changed === 1;
}

/** Enables a canvas, disabled or not. False when there is none. */
export async function enableCanvas(id: string, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const changed = await db.run`
    update canvases set disabled_at = null, disabled_reason = null, updated_at = ${now}
    where id = ${id} and (deleted_at is null or deleted_at > ${now - KEPT_MS})`;
  return changed === 1;
}

/** Brings back a deleted canvas as it was. False when there is none that can be. */
export async function restoreCanvas(id: string, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const changed = await db.run`
    update canvases set deleted_at = null, updated_at = ${now} where id = ${id} and deleted_at > ${now - KEPT_MS}`;
  return changed === 1;
}

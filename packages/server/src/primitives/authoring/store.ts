import type { Access, AuthoredCanvas, Json } from "@easel/protocol/types";
import type { User } from "../../access/principal.ts";
import { manages } from "../../access/roles.ts";
import { changeCanvas } from "../../canvases/change-canvas.ts";
import type { CanvasRow } from "../../canvases/store.ts";
import type { Env } from "../../env.ts";
import { firstValue, type Query } from "../../http/query.ts";

/**
 * Returns a function that tests whether a canvas matches a query: it has the `sourceApp` and `sourceKind` of the query, if given, and all
 * of its `tags`.
 */
export function matching(query: Query): (canvas: AuthoredCanvas) => boolean {
  const [sourceApp, sourceKind] = ["sourceApp", "sourceKind"].map((name) => firstValue(query, name));
  const tags = [query.tags ?? []].flat().flatMap((value) => value.split(","));
  const wanted = tags.filter((tag) => tag !== "");
  return (canvas) =>
    (sourceApp === undefined || canvas.sourceApp === sourceApp) &&
    (sourceKind === undefined || canvas.sourceKind === sourceKind) &&
    wanted.every((tag) => canvas.tags.includes(tag));
}

/** Changes to a canvas that a page has published. A field that is undefined keeps its stored value. */
export interface CanvasChanges {
  title: string | undefined;
  tags: string[] | undefined;
  access: Access | undefined;
  passwordHash: string | null | undefined;
  /** Epoch milliseconds. Null removes the expiry. */
  expiresAt: number | null | undefined;
  metadata: { [name: string]: Json } | undefined;
  /** The id of the home organisation. It is saved only if the canvas has none. */
  org: string | undefined;
}

const textOf = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value));

/**
 * Saves changes to a canvas. A canvas that is made private leaves the gallery. Returns false if the canvas was deleted, or was changed since
 * its `updated_at` was read.
 */
export async function saveChanges(
  { id, updated_at }: Pick<CanvasRow, "id" | "updated_at">,
  { title, tags, access, passwordHash, expiresAt, metadata, org }: CanvasChanges,
  { db, clock }: Env,
): Promise<boolean> {
  const now = clock();
  const changed = await db.run(
    ...changeCanvas(now)`
    title = coalesce(${title ?? null}, title), tags = coalesce(${textOf(tags)}, tags),
      metadata = coalesce(${textOf(metadata)}, metadata), access = coalesce(${access ?? null}, access),
      gallery_listed = case when cast(${access ?? null} as text) = 'private' then 0 else gallery_listed end,
      gallery_templatable = case when cast(${access ?? null} as text) = 'private' then 0 else gallery_templatable end,
      org_id = coalesce(org_id, ${org ?? null}),
      password_hash = case when cast(${Number(passwordHash === undefined)} as integer) = 1 then password_hash
        else cast(${passwordHash ?? null} as text) end,
      expires_at = case when cast(${Number(expiresAt === undefined)} as integer) = 1 then expires_at
        else cast(${expiresAt ?? null} as bigint) end
    where id = ${id} and updated_at = ${updated_at} and deleted_at is null`,
  );
  return changed === 1;
}

/** Unpublishes a canvas. Returns false if the canvas is unpublished already, archived, disabled or deleted. */
export async function revokeCanvas(id: string, { db, clock }: Env): Promise<boolean> {
  const now = clock();
  const changed = await db.run(
    ...changeCanvas(now)`
    revoked_at = ${now}
    where id = ${id} and revoked_at is null and archived_at is null and disabled_at is null and deleted_at is null`,
  );
  return changed === 1;
}

/**
 * Reads the canvases that a user has published from pages and still owns or edits, the newest first. `from` is the id of a canvas if only
 * those that its pages have published are wanted, and otherwise null.
 */
export async function listAuthored(
  { id, email }: Pick<User, "id" | "email">,
  from: string | null,
  { db }: Env,
): Promise<CanvasRow[]> {
  const rows = await db.all<Omit<CanvasRow, "role"> & { role: CanvasRow["role"] | null }>`
    select canvases.*, users.email as owner_email, users.name as owner_name,
      case when owner_id = ${id} then 'owner'
        else (select role from roles where canvas_id = canvases.id and roles.email = ${email}) end as role
    from canvases join users on users.id = owner_id
    where created_by = ${id} and authored = 1 and deleted_at is null
      and (cast(${from} as text) is null or authored_from = ${from}) order by canvases.id desc`;
  return rows.flatMap(({ role, ...row }) => (role !== null && manages(role) ? [{ ...row, role }] : []));
}

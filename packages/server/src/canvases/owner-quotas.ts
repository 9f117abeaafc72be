import { type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

const MIB = 1024 * 1024;

const amount = (bytes: number) =>
  bytes < MIB ? `${bytes} bytes` : `${Math.floor(bytes / MIB).toLocaleString("en")} MiB`;

/** The quotas of what one person owns, each with the words of a refusal. */
const TOLD = {
  "canvases.person": (limit: number) =>
    `The owner has as many canvases as they may have (${limit}). Delete one, or ask an administrator for more.`,
  "bundles.bytes.person": (limit: number) =>
    `The files of the owner's canvases may take ${amount(limit)} in all, with every version, and deleted canvases until they are removed for good. Ask an administrator for more.`,
};

/** The name of a quota of what one person owns. */
export type OwnerQuota = keyof typeof TOLD;

/** The limit of a quota for a person: what administrators have set for them or for everyone, otherwise what the deployment says. */
export async function limitOf(userId: string, quota: OwnerQuota, { db, config }: Env): Promise<number> {
  const row = await db.get<{ value: number | null }>`
    select value from person_quotas where user_id = ${userId} and name = ${quota}`;
  return row?.value ?? (quota === "canvases.person" ? config.quotaCanvases : config.quotaBundleBytes);
}

/** Refuses what would exceed a quota of a person: 409 `QUOTA_EXCEEDED` with the `quota` and its `limit`. */
export async function refuseOver(quota: OwnerQuota, userId: string, env: Env): Promise<never> {
  const limit = await limitOf(userId, quota, env);
  return refuse("QUOTA_EXCEEDED", { quota, limit, message: TOLD[quota](limit) }, 409);
}

/** Locks what a person owns. First in its batch: what counts against one person's quotas takes turns by it. */
export const lockUser = (userId: string): Step => sql`update users set name = name where id = ${userId}`;

/** The same for the owner of a canvas. */
export const lockOwner = (canvasId: string): Step =>
  sql`update users set name = name where id = (select owner_id from canvases where id = ${canvasId})`;

/** Changes nothing, which undoes the batch, where the owner of a canvas now has more canvases than they may. */
export const withinCanvases = (canvasId: string, { config }: Env): Step => sql`
  update users set name = name where id = (select owner_id from canvases where id = ${canvasId})
    and (select count(*) from canvases where owner_id = users.id and deleted_at is null)
      <= coalesce((select value from person_quotas where user_id = users.id and person_quotas.name = 'canvases.person'),
        ${config.quotaCanvases})`;

/** Changes nothing, which undoes the batch, where the files of the owner of a canvas now take more than they may. */
export const withinBytes = (canvasId: string, { config }: Env): Step => sql`
  update users set name = name where id = (select owner_id from canvases where id = ${canvasId})
    and (select coalesce(sum(bytes), 0) from canvases join bundle_bytes on bundle_bytes.canvas_id = canvases.id
        where owner_id = users.id)
      <= coalesce((select value from person_quotas where user_id = users.id
          and person_quotas.name = 'bundles.bytes.person'), ${config.quotaBundleBytes})`;

/** The owner of a canvas, and what the files of all their canvases take in bytes, deleted ones included. */
export async function ownerOf(
  canvasId: string,
  { db }: Env,
): Promise<{ id: string; bytes: number } | undefined> {
  return db.get<{ id: string; bytes: number }>`
    select owner_id as id, cast((select coalesce(sum(bytes), 0) from canvases as owned
      join bundle_bytes on bundle_bytes.canvas_id = owned.id where owned.owner_id = canvases.owner_id) as bigint) as bytes
    from canvases where id = ${canvasId}`;
}

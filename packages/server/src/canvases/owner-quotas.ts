import { LIMITS } from "@easel/protocol/limits";
import type { PersonQuotaName, QuotaUsage } from "@easel/protocol/management";
import type { Config } from "../config/config.ts";
import { joined, type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

const MIB = 1024 * 1024;

const formatBytes = (bytes: number) =>
  bytes < MIB ? `${bytes} bytes` : `${Math.floor(bytes / MIB).toLocaleString("en")} MiB`;

/**
 * The quotas on the canvases that a person owns, each with its default limit from the configuration. Administrators can set other limits,
 * for everyone or for one person.
 */
export const PERSON_QUOTAS = {
  "canvases.person": ({ quotaCanvases }) => quotaCanvases,
  "bundles.bytes.person": ({ quotaBundleBytes }) => quotaBundleBytes,
  "files.bytes.person": ({ quotaFilesBytes }) => quotaFilesBytes,
  "versions.canvas": ({ versionsKept }) => versionsKept,
} as const satisfies Record<PersonQuotaName, (config: Config) => number>;

/** The messages with which requests that would exceed a quota are refused. */
const MESSAGES = {
  "canvases.person": (limit: number) =>
    `The owner may have ${limit} canvases, and ${LIMITS.deletedCanvases.value} that they have deleted until these are removed for good: after 30 days, or in the trash at once. Delete one, or ask an administrator for more.`,
  "bundles.bytes.person": (limit: number) =>
    `The files of the owner's canvases may take ${formatBytes(limit)} in all, with every version, deleted canvases until they are removed for good, and what has been replaced until the hourly sweep. Ask an administrator for more.`,
  "files.bytes.person": (limit: number) =>
    `The files that pages upload to the owner's canvases may take ${formatBytes(limit)} in all, deleted canvases included until they are removed for good. Ask an administrator for more.`,
};

/** The name of a quota. Requests that would exceed it are refused. */
export type OwnerQuota = keyof typeof MESSAGES;

/**
 * Returns the limit of a quota for a person: the one that administrators have set for this person, or else for everyone, or else the
 * default.
 */
async function limitOf(userId: string, quota: OwnerQuota, { db, config }: Env): Promise<number> {
  const row = await db.get<{ value: number | null }>`
    select value from person_quotas where user_id = ${userId} and name = ${quota}`;
  return row?.value ?? PERSON_QUOTAS[quota](config);
}

/** Throws 409 `QUOTA_EXCEEDED` with the name of the quota and the limit that applies to the user. */
export async function refuseOver(quota: OwnerQuota, userId: string, env: Env): Promise<never> {
  return refuseAt(quota, await limitOf(userId, quota, env));
}

/** Throws 409 `QUOTA_EXCEEDED` with the name of the quota and this limit. */
export const refuseAt = (quota: OwnerQuota, limit: number): never =>
  refuse("QUOTA_EXCEEDED", { quota, limit, message: MESSAGES[quota](limit) }, 409);

/**
 * Builds the batch step that locks a user's row. Every batch that counts against a quota of the user must begin by locking this row, so
 * that such batches run one after the other (decision 017).
 */
export const lockUser = (userId: string): Sql => sql`update users set name = name where id = ${userId}`;

/** Builds the batch step that locks the user row of a canvas's owner, for the same purpose as `lockUser`. */
export const lockOwner = (canvasId: string): Sql =>
  sql`update users set name = name where id = (select owner_id from canvases where id = ${canvasId})`;

/**
 * Builds the batch step that checks how many canvases the owner of this canvas has. If the earlier steps of the batch have exceeded the
 * quota on that number, this step changes no row, which rolls back the batch. Deleted canvases have a limit as well, because their rows are
 * kept for 30 days and are part of the sums of bytes.
 */
export const withinCanvases = (canvasId: string, { config }: Env): Sql => sql`
  update users set name = name where id = (select owner_id from canvases where id = ${canvasId})
    and exists (select 1 from (select count(*) as kept, count(deleted_at) as deleted,
        coalesce((select value from person_quotas where user_id = users.id and person_quotas.name = 'canvases.person'),
          ${config.quotaCanvases}) as quota
        from canvases where owner_id = users.id) as counted
      where kept - deleted <= quota and deleted <= ${LIMITS.deletedCanvases.value})`;

/**
 * Builds the batch step that checks how many bytes the bundles of this canvas's owner have in total. If the earlier steps of the batch have
 * exceeded the quota on that total, this step changes no row, which rolls back the batch.
 */
export const withinBytes = (canvasId: string, { config }: Env): Sql => sql`
  update users set name = name where id = (select owner_id from canvases where id = ${canvasId})
    and (select coalesce(sum(bytes), 0) from canvases join bundle_bytes on bundle_bytes.canvas_id = canvases.id
        where owner_id = users.id)
      <= coalesce((select value from person_quotas where user_id = users.id
          and person_quotas.name = 'bundles.bytes.person'), ${config.quotaBundleBytes})`;

/** Reads the use and the limit of the quota `files.bytes.person` for the owner of a canvas. */
export async function filesOfOwner(
  canvasId: string,
  { db, config }: FileQuotaEnv,
): Promise<{ used: number; limit: number }> {
  const row = await db.get<{ used: number; most: number }>`
    select (select coalesce(sum(bytes), 0) from canvases as owned join file_bytes on file_bytes.canvas_id = owned.id
        where owned.owner_id = canvases.owner_id) as used,
      coalesce((select value from user_quotas where user_id = canvases.owner_id and name = 'files.bytes.person'),
        (select value from quotas where name = 'files.bytes.person'), ${config.quotaFilesBytes}) as most
    from canvases where id = ${canvasId}`;
  return { used: Number(row?.used ?? 0), limit: Number(row?.most ?? config.quotaFilesBytes) };
}

/** Returns the SQL expression of the id of a canvas's owner. */
export const ownerIdOf = (canvasId: string): Sql =>
  sql`(select owner_id from canvases where id = ${canvasId})`;

/** The part of `Env` on which the quota `files.bytes.person` depends. */
export type FileQuotaEnv = Pick<Env, "db"> & { config: Pick<Config, "quotaFilesBytes"> };

/**
 * Builds the batch step that checks how many bytes the uploaded files of this canvas's owner have in total, with removed files until their bytes are gone. If the
 * earlier steps of the batch have exceeded the quota on that total, this step changes no row, which rolls back the batch.
 */
export const withinFileBytes = (canvasId: string, { config }: Pick<FileQuotaEnv, "config">): Sql => sql`
  insert into file_bytes (canvas_id, bytes) select cast(${canvasId} as text), 0
    where (select coalesce(sum(stored.bytes + stored.removed), 0) from canvases join file_bytes as stored on stored.canvas_id = canvases.id
        where owner_id = (select owner_id from canvases where id = ${canvasId}))
      <= coalesce((select value from canvases join user_quotas on user_id = owner_id
          where canvases.id = ${canvasId} and name = 'files.bytes.person'),
        (select value from quotas where name = 'files.bytes.person'), ${config.quotaFilesBytes})
  on conflict (canvas_id) do update set bytes = file_bytes.bytes`;

/** The owner of a canvas: their id, and how many bytes all their bundles have and may have. `isDraft`: the canvas has never published a version. */
export interface CanvasOwner {
  id: string;
  bytes: number;
  quota: number;
  isDraft: boolean;
}

/** Reads the owner of a canvas, with the bytes of the bundles of all canvases of this owner, including deleted ones. */
export async function ownerOf(canvasId: string, { db, config }: Env): Promise<CanvasOwner | undefined> {
  const row = await db.get<{ id: string; bytes: number; quota: number | null; version_id: string | null }>`
    select owner_id as id, version_id, cast((select coalesce(sum(bytes), 0) from canvases as owned
      join bundle_bytes on bundle_bytes.canvas_id = owned.id where owned.owner_id = canvases.owner_id) as bigint) as bytes,
      (select value from person_quotas where user_id = owner_id and person_quotas.name = 'bundles.bytes.person') as quota
    from canvases where id = ${canvasId}`;
  if (row === undefined) return undefined;
  const { id, bytes, quota, version_id: version } = row;
  return { id, bytes, quota: quota ?? config.quotaBundleBytes, isDraft: version === null };
}

/** Throws 409 `QUOTA_EXCEEDED` if the quota of an owner has less than `added` bytes left for bundles. */
export function requireBytesOf({ bytes, quota }: CanvasOwner, added: number): void {
  if (bytes + added > quota) refuseAt("bundles.bytes.person", quota);
}

/** Throws 409 `QUOTA_EXCEEDED` if the quota of a canvas's owner has less than `added` bytes left for bundles. */
export async function requireBytes(canvasId: string, added: number, env: Env): Promise<void> {
  requireBytesOf((await ownerOf(canvasId, env)) ?? refuse("NOT_FOUND"), added);
}

/** Returns the statement that reads the use and the limit of each quota of a person. `versions` is the use of the quota `versions.canvas`. */
const usageSql = (userId: Sql, versions: Sql): Sql =>
  joined([
    sql`select name, value, case name
        when 'canvases.person' then
          (select count(*) from canvases where owner_id = user_id and deleted_at is null)
        when 'bundles.bytes.person' then
          (select coalesce(sum(bytes), 0) from canvases
            join bundle_bytes on bundle_bytes.canvas_id = canvases.id where owner_id = user_id)
        when 'files.bytes.person' then
          (select coalesce(sum(bytes), 0) from canvases
            join file_bytes on file_bytes.canvas_id = canvases.id where owner_id = user_id)
        else`,
    versions,
    sql`end as used from person_quotas where user_id =`,
    userId,
    sql`order by name`,
  ]);

async function readUsage(
  userId: Sql,
  versions: Sql,
  { db, config }: Env,
): Promise<{ [Name in PersonQuotaName]?: QuotaUsage }> {
  const rows = await db.all<{ name: PersonQuotaName; used: number; value: number | null }>(
    ...usageSql(userId, versions),
  );
  const entries = rows.map(({ name, used, value }) => [
    name,
    { used: Number(used), limit: value ?? PERSON_QUOTAS[name](config) },
  ]);
  return Object.fromEntries(entries);
}

/**
 * Returns the use and the limit of each quota of a canvas's owner. For the quota `versions.canvas`, the use is the number of versions of
 * this canvas.
 */
export const usageOfOwner = (canvasId: string, env: Env) =>
  readUsage(
    sql`(select owner_id from canvases where id = ${canvasId})`,
    sql`(select count(*) from versions where canvas_id = ${canvasId} and state = 'stored')`,
    env,
  );

/**
 * Returns the use and the limit of each quota of a person. For the quota `versions.canvas`, the use is the highest number of versions of one
 * of their canvases.
 */
export const usageOfPerson = (userId: string, env: Env) =>
  readUsage(
    sql`${userId}`,
    sql`(select coalesce(max(kept), 0) from (select count(*) as kept from canvases
      join versions on canvas_id = canvases.id and state = 'stored'
      where owner_id = ${userId} and deleted_at is null group by canvases.id) as kept_versions)`,
    env,
  ) as Promise<Record<PersonQuotaName, QuotaUsage>>;

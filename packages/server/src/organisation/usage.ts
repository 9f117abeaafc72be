import type { Env } from "../env.ts";
import { PERSON_QUOTAS, type PersonQuotaName, type QuotaName, readQuotas } from "./quotas.ts";

/** How much of a quota is used: of one per person, by whoever uses most. */
export interface Used {
  used: number;
  limit: number;
}

/** What a canvas uses of every quota that bounds something it holds. */
export async function usageOf(canvasId: string, env: Env): Promise<{ [Name in QuotaName]?: Used }> {
  const [quotas, owner, row] = await Promise.all([
    readQuotas(env),
    ownersUsage(canvasId, env),
    env.db.get<Record<"shared" | "user" | "submissions" | "author" | "records", number>>`
      select
        coalesce((select keys from kv_scopes where canvas_id = ${canvasId} and scope = ''), 0) as shared,
        coalesce((select max(keys) from kv_scopes where canvas_id = ${canvasId} and scope <> ''), 0) as "user",
        coalesce((select rows from counts where canvas_id = ${canvasId} and kind = 'submissions'), 0) as submissions,
        coalesce((select max(answers) from (select count(*) as answers from submissions
          where canvas_id = ${canvasId} group by user_id) as each_author), 0) as author,
        coalesce((select rows from counts where canvas_id = ${canvasId} and kind = 'records'), 0) as records`,
  ]);
  const used = (name: QuotaName, count = 0): Used => ({ used: Number(count), limit: quotas[name] });
  return {
    "kv.keys.shared": used("kv.keys.shared", row?.shared),
    "kv.keys.user": used("kv.keys.user", row?.user),
    "submissions.canvas": used("submissions.canvas", row?.submissions),
    "submissions.author": used("submissions.author", row?.author),
    "collections.records.canvas": used("collections.records.canvas", row?.records),
    ...owner,
  };
}

/** The usage of the quotas of a canvas's owner, and of the number of its versions. */
async function ownersUsage(
  canvasId: string,
  { db, config }: Env,
): Promise<{ [Name in PersonQuotaName]?: Used }> {
  const rows = await db.all<{ name: PersonQuotaName; used: number; value: number | null }>`
    select name, value, case name
        when 'canvases.person' then
          (select count(*) from canvases as owned where owned.owner_id = user_id and deleted_at is null)
        when 'bundles.bytes.person' then
          (select coalesce(sum(bytes), 0) from canvases as owned
            join bundle_bytes on bundle_bytes.canvas_id = owned.id where owned.owner_id = user_id)
        else (select count(*) from versions where canvas_id = ${canvasId} and state = 'stored') end as used
    from canvases join person_quotas on user_id = owner_id where canvases.id = ${canvasId} order by name`;
  const entries = rows.map(({ name, used, value }) => [
    name,
    { used: Number(used), limit: value ?? PERSON_QUOTAS[name](config) },
  ]);
  return Object.fromEntries(entries);
}

/** What the current version of a canvas and all its data take, in bytes. */
export async function bytesOf(
  canvasId: string,
  { db }: Env,
): Promise<Record<"version" | "versions" | "data", number>> {
  const row = await db.get<Record<"version" | "versions" | "kv" | "submissions" | "records", number | null>>`
    select
      (select bytes from versions join canvases on versions.id = version_id where canvases.id = ${canvasId}) as version,
      (select sum(bytes) from versions where canvas_id = ${canvasId} and state = 'stored') as versions,
      (select sum(octet_length(key) + coalesce(octet_length(value), 8)) from kv where canvas_id = ${canvasId}) as kv,
      (select sum(octet_length(value)) from submissions where canvas_id = ${canvasId}) as submissions,
      (select sum(coalesce(octet_length(value), 8)) from records where canvas_id = ${canvasId}) as records`;
  const number = (value: number | null | undefined) => Number(value ?? 0);
  return {
    version: number(row?.version),
    versions: number(row?.versions),
    data: number(row?.kv) + number(row?.submissions) + number(row?.records),
  };
}

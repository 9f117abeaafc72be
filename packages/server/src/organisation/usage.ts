import type { Env } from "../env.ts";
import { type QuotaName, readQuotas } from "./quotas.ts";

/** How much of a quota is used: of one per person, by whoever uses most. */
export interface Used {
  used: number;
  limit: number;
}

/** What a canvas uses of every quota that bounds something it holds. */
export async function usageOf(canvasId: string, env: Env): Promise<{ [Name in QuotaName]?: Used }> {
  const [quotas, row] = await Promise.all([
    readQuotas(env),
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
  };
}

/** What the current version of a canvas and all its data take, in bytes. */
export async function bytesOf(
  canvasId: string,
  { db }: Env,
): Promise<Record<"version" | "versions" | "data", number>> {
  const row = await db.get<Record<"version" | "versions" | "kv" | "submissions" | "records", number | null>>`
    select
      (select bytes from versions join canvases on versions.id = version_id where canvases.id = ${canvasId}) as version,
      (select sum(bytes) from versions where canvas_id = ${canvasId}) as versions,
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

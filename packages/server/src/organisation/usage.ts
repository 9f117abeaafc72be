import type { Usage } from "@easel/protocol/management";
import { usageOfOwner } from "../canvases/owner-quotas.ts";
import type { Sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { quotasOf, readQuotas } from "./quotas.ts";

/**
 * Runs a statement that returns at most one row, and returns the number in one of its columns. Returns 0 if there is no row or the column
 * is null.
 */
async function numberIn<Column extends string>(column: Column, statement: Sql, { db }: Env): Promise<number> {
  const row = await db.get<Record<Column, number | null>>(...statement);
  return Number(row?.[column] ?? 0);
}

/** Returns the use and the limit of every quota that applies to a canvas, keyed by the name of the quota. */
export async function usageOf(canvasId: string, env: Env): Promise<Usage["counts"]> {
  const counted = quotasOf(env).flatMap(([name, { used }]) =>
    used ? [{ name, statement: used(canvasId) }] : [],
  );
  const [limits, ofOwner, used] = await Promise.all([
    readQuotas(env),
    usageOfOwner(canvasId, env),
    Promise.all(counted.map(({ statement }) => numberIn("used", statement, env))),
  ]);
  const ofCanvas = counted.map(({ name }, index) => [
    name,
    { used: used[index] ?? 0, limit: limits[name] ?? 0 },
  ]);
  return { ...Object.fromEntries(ofCanvas), ...ofOwner };
}

/** Returns how many bytes the current version of a canvas, all its versions, and its data take. */
export async function bytesOf(canvasId: string, env: Env): Promise<Usage["bytes"]> {
  const [row, data] = await Promise.all([
    env.db.get<Record<"version" | "versions", number | null>>`
      select
        (select bytes from versions join canvases on versions.id = version_id where canvases.id = ${canvasId}) as version,
        (select sum(bytes) from versions where canvas_id = ${canvasId} and state = 'stored') as versions`,
    Promise.all(env.canvasData.map(({ usage }) => (usage ? numberIn("bytes", usage(canvasId), env) : 0))),
  ]);
  return {
    version: Number(row?.version ?? 0),
    versions: Number(row?.versions ?? 0),
    data: data.reduce((sum, bytes) => sum + bytes, 0),
  };
}

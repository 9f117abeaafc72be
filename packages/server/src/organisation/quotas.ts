import type { PersonQuotaName, Usage } from "@easel/protocol/management";
import type { Work } from "../async/work.ts";
import type { CanvasData, CanvasQuota } from "../canvases/canvas-data.ts";
import { PERSON_QUOTAS, usageOfOwner } from "../canvases/owner-quotas.ts";
import { optional, type Sql, type Step, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

/** The quotas that administrators have set, for all and for single people. */
export const quotaData: CanvasData = {
  otherTables: ["quotas", "user_quotas"],
  people: {
    user_quotas: {
      ids: ["user_id"],
      erased: "removed",
      exported: { part: "quotas", columns: ["name", "value"], order: ["name"] },
    },
  },
};

export const PERSON_QUOTA_NAMES = Object.keys(PERSON_QUOTAS) as PersonQuotaName[];

/** Returns every quota that limits what a canvas holds, with its name (specification 8). */
export const quotasOf = ({ canvasData }: Pick<Env, "canvasData">): [name: string, quota: CanvasQuota][] =>
  canvasData.flatMap(({ quotas = {} }) => Object.entries(quotas));

/** Returns the default limit of every quota, keyed by the name of the quota. */
function defaultsOf(env: Env): Map<string, number> {
  const ofCanvases = quotasOf(env).map(([name, { limit }]) => [name, limit] as const);
  const ofPeople = PERSON_QUOTA_NAMES.map((name) => [name, PERSON_QUOTAS[name](env.config)] as const);
  return new Map([...ofCanvases, ...ofPeople]);
}

/** Returns the names of the quotas for which administrators have set a limit. */
export async function ownQuotas({ db }: Env): Promise<string[]> {
  return (await db.all<{ name: string }>`select name from quotas`).map(({ name }) => name);
}

/** Returns the current limit of every quota, keyed by the name of the quota. */
export async function readQuotas(env: Env): Promise<Record<string, number>> {
  const rows = await env.db.all<{ name: string; value: number }>`select name, value from quotas`;
  const set = new Map(rows.map(({ name, value }) => [name, value]));
  return Object.fromEntries([...defaultsOf(env)].map(([name, limit]) => [name, set.get(name) ?? limit]));
}

/**
 * Returns the steps of a batch that set the limits of the quotas in `patch`, keyed by the name of the quota. A limit of null restores the
 * default. Throws 400 `INVALID_BODY` if there is no quota with a name.
 */
export function quotaSteps(patch: Record<string, number | null | undefined>, env: Env): Step[] {
  const defaults = defaultsOf(env);
  return Object.entries(patch).flatMap(([name, value]): Step[] => {
    if (!defaults.has(name)) {
      refuse("INVALID_BODY", { message: `\`${name.slice(0, 100)}\` is not the name of a quota.` });
    }
    if (value === undefined) return [];
    if (value === null) return [optional`delete from quotas where name = ${name}`];
    return [
      sql`insert into quotas (name, value) values (${name}, ${value}) on conflict (name) do update set value = excluded.value`,
    ];
  });
}

/** The limits that administrators have set for one person; null if the general limit applies. */
export type PersonQuotas = { [Name in PersonQuotaName]?: number | null | undefined };

/**
 * Returns the steps of a batch that set limits for one person. A limit of null makes the general limit apply again. A quota that the patch
 * does not name keeps its limit.
 */
export function personQuotaSteps(userId: string, patch: PersonQuotas): Step[] {
  return PERSON_QUOTA_NAMES.flatMap((name): Step[] => {
    const value = patch[name];
    if (value === undefined) return [];
    if (value === null)
      return [optional`delete from user_quotas where user_id = ${userId} and name = ${name}`];
    return [
      sql`insert into user_quotas (user_id, name, value) values (${userId}, ${name}, ${value})
        on conflict (user_id, name) do update set value = excluded.value`,
    ];
  });
}

/**
 * Runs a statement that returns at most one row, and returns the number in one of its columns. Returns 0 if there is no row or the column
 * is null.
 */
async function numberIn<Column extends string>(column: Column, statement: Sql, { db }: Env): Promise<number> {
  const [row] = await db.all<Record<Column, number | null>>(...statement);
  return Number(row?.[column] ?? 0);
}

/** Returns the use and the limit of every quota that applies to a canvas, keyed by the name of the quota. */
export async function usageOf(canvasId: string, work: Work, env: Env): Promise<Usage["counts"]> {
  const counted = quotasOf(env).flatMap(([name, { used }]) =>
    used ? [{ name, statement: used(canvasId) }] : [],
  );
  const [limits, ofOwner, used] = await Promise.all([
    readQuotas(env),
    usageOfOwner(canvasId, env),
    work.all(
      counted.map(
        ({ statement }) =>
          () =>
            numberIn("used", statement, env),
      ),
    ),
  ]);
  const ofCanvas = counted.map(({ name }, index) => [
    name,
    { used: used[index] ?? 0, limit: limits[name] ?? 0 },
  ]);
  return { ...Object.fromEntries(ofCanvas), ...ofOwner };
}

/** Returns how many bytes the current version of a canvas, all its versions, and its data take. */
export async function bytesOf(canvasId: string, work: Work, env: Env): Promise<Usage["bytes"]> {
  const [row, data] = await Promise.all([
    env.db.get<Record<"version" | "versions", number | null>>`
      select
        (select bytes from versions join canvases on versions.id = version_id where canvases.id = ${canvasId}) as version,
        (select sum(bytes) from versions where canvas_id = ${canvasId} and state = 'stored') as versions`,
    work.all(
      env.canvasData.flatMap(({ usage }) =>
        usage === undefined ? [] : [() => numberIn("bytes", usage(canvasId), env)],
      ),
    ),
  ]);
  return {
    version: Number(row?.version ?? 0),
    versions: Number(row?.versions ?? 0),
    data: data.reduce((sum, bytes) => sum + bytes, 0),
  };
}

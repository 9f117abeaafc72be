import type { AttentionKind } from "@easel/protocol/management";
import { nextTurn } from "../async/next-turn.ts";
import { type OwnerQuota, PERSON_QUOTAS } from "../canvases/owner-quotas.ts";
import type { Config } from "../config/config.ts";
import { joined, type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { listProfiles, openHeaders } from "./connections/profiles.ts";
import { DAY_MS } from "./days.ts";

/** How long before its end a share needs attention. */
const SOON_MS = 7 * DAY_MS;
/** The part of a quota above which a person needs attention, in percent. */
export const NEAR_PERCENT = 90;
/** How many calls of today and yesterday (UTC) must have failed, and which part of all in percent, for a Connection to count as failing. */
const FAILING = { calls: 5, percent: 50 };
/** How many people are looked at in one statement, so that none takes long. */
const AT_ONCE = 100;

/** The SQL condition that a row of `canvases` expires within seven days. */
export const expiresSoon = (now: number): Sql =>
  sql`deleted_at is null and expires_at is not null and expires_at > ${now} and expires_at <= ${now + SOON_MS}`;

/** The SQL condition that a row of `users` is a person who is deactivated and owns canvases. */
export const ownsDeactivated = (): Sql => sql`deactivated_at is not null
  and exists (select 1 from canvases where owner_id = users.id and deleted_at is null)`;

const limitOf = (quota: OwnerQuota, config: Config): Sql => sql`
  coalesce((select value from user_quotas where user_id = users.id and user_quotas.name = ${quota}),
    (select value from quotas where quotas.name = ${quota}), ${PERSON_QUOTAS[quota](config)})`;

/** The SQL condition that a row of `users` is an active person who uses more than 90 % of a quota on what they own. */
export const nearQuota = ({ config }: Pick<Env, "config">): Sql => {
  const exceeds = (used: Sql, quota: OwnerQuota) =>
    joined([sql`(`, used, sql`) * 100 > ${NEAR_PERCENT} * `, limitOf(quota, config)]);
  return joined([
    sql`deactivated_at is null and (`,
    exceeds(
      sql`select count(*) from canvases where owner_id = users.id and deleted_at is null`,
      "canvases.person",
    ),
    sql`or`,
    exceeds(
      sql`select coalesce(sum(bytes), 0) from canvases join bundle_bytes on canvas_id = canvases.id where owner_id = users.id`,
      "bundles.bytes.person",
    ),
    sql`or`,
    exceeds(
      sql`select coalesce(sum(bytes), 0) from canvases join file_bytes on canvas_id = canvases.id where owner_id = users.id`,
      "files.bytes.person",
    ),
    sql`)`,
  ]);
};

/** Runs a statement that counts, in the column `found`. */
async function countIn(statement: Sql, { db }: Env): Promise<number> {
  const [row] = await db.all<{ found: number }>(...statement);
  return Number(row?.found ?? 0);
}

/** Counts the people who are near a quota: a part of all at a time, because each needs sums over their canvases. */
async function countNearQuota(env: Env): Promise<number> {
  let found = 0;
  for (let after = ""; ; ) {
    const people = await env.db.all<{ id: string }>`
      select id from users where id > ${after} order by id limit ${AT_ONCE}`;
    const last = people.at(-1)?.id;
    if (last === undefined) return found;
    const some = sql`select count(*) as found from users where id > ${after} and id <= ${last} and`;
    found += await countIn(joined([some, nearQuota(env)]), env);
    after = last;
    // SQLite reads within the turn: other requests come in between.
    await nextTurn();
  }
}

/** Counts the profiles whose protected headers cannot be opened with the keys of the service. */
const countWithoutKey = async (env: Env): Promise<number> =>
  (await listProfiles(env)).filter(
    (profile) => profile.sealed !== null && openHeaders(profile.sealed, profile, env) === null,
  ).length;

/** Counts the profiles of which half of the calls of today and yesterday have failed. */
const countFailing = (env: Env): Promise<number> =>
  countIn(
    sql`select count(*) as found from (
      select profile from connection_calls join connection_profiles on name = profile
      where day >= ${Math.floor(env.clock() / DAY_MS) - 1}
      group by profile
      having sum(case when outcome in ('5xx', 'UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE', 'DESTINATION_BLOCKED')
          then calls else 0 end) >= ${FAILING.calls}
        and sum(case when outcome in ('5xx', 'UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE', 'DESTINATION_BLOCKED')
          then calls else 0 end) * 100 >= ${FAILING.percent} * sum(calls)) as failing`,
    env,
  );

/** What needs attention: how it is counted, and the query of the list that shows it. */
const KINDS: Record<AttentionKind, { count(env: Env): Promise<number>; query: string }> = {
  ownersDeactivated: {
    count: (env) => countIn(joined([sql`select count(*) as found from users where`, ownsDeactivated()]), env),
    query: "show=ownersDeactivated",
  },
  connectionKeys: { count: countWithoutKey, query: "" },
  connectionsFailing: { count: countFailing, query: "" },
  quotasNear: { count: countNearQuota, query: "show=quotasNear" },
  sharesExpiring: {
    count: (env) =>
      countIn(joined([sql`select count(*) as found from canvases where`, expiresSoon(env.clock())]), env),
    query: "show=sharesExpiring",
  },
};

/** Counts what needs attention, the most urgent first. Leaves out what does not occur. */
export async function listAttention(
  env: Env,
): Promise<{ kind: AttentionKind; count: number; query: string }[]> {
  const kinds = Object.entries(KINDS) as [AttentionKind, (typeof KINDS)[AttentionKind]][];
  const counted = await Promise.all(
    kinds.map(async ([kind, { count, query }]) => ({ kind, count: await count(env), query })),
  );
  return counted.filter(({ count }) => count > 0);
}

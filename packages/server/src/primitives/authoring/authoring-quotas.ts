import type { Authored } from "../../canvases/store.ts";
import { sql, step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const dayOf = (time: number) => Math.floor(time / DAY_MS);

const refuseDaily = (limit: number): never =>
  refuse("QUOTA_EXCEEDED", {
    scope: "user_daily",
    limit,
    message: `You have published ${limit} canvases today, which is as many as you may.`,
  });

const refuseTotal = (limit: number): never =>
  refuse("QUOTA_EXCEEDED", {
    scope: "user_total",
    limit,
    message: `You have published ${limit} canvases, which is as many as you may.`,
  });

/**
 * Returns the two quotas on the number of canvases that a person publishes from pages: per day and in total. The step of the daily quota
 * also increments the day's count, which the step of the total quota then reads. The batch must lock the person's row first.
 */
export function authoringQuotas(userId: string, { config, clock }: Env): Pick<Authored, "quotas" | "refuse"> {
  const { authoringDailyMax: daily, authoringTotalMax: total } = config;
  return {
    quotas: [
      step(
        "user_daily",
        sql`
        insert into authored_days (user_id, day, canvases)
        select cast(${userId} as text), cast(${dayOf(clock())} as integer), 1 where cast(${daily} as bigint) > 0
        on conflict (user_id, day) do update set canvases = authored_days.canvases + 1
        where authored_days.canvases < cast(${daily} as bigint)`,
      ),
      step(
        "user_total",
        sql`
        update users set name = name where id = ${userId}
          and (select sum(canvases) from authored_days where user_id = ${userId}) <= cast(${total} as bigint)`,
      ),
    ],
    refuse: (quota) => (quota === "user_daily" ? refuseDaily(daily) : refuseTotal(total)),
  };
}

/**
 * Throws 429 `QUOTA_EXCEEDED` if a person may not publish another canvas today or in total. The batch that creates the canvas checks this
 * again.
 */
export async function requireRoom(userId: string, { db, config, clock }: Env): Promise<void> {
  const { authoringDailyMax: daily, authoringTotalMax: total } = config;
  const row = await db.get<{ today: number | null; ever: number | null }>`
    select sum(case when day = ${dayOf(clock())} then canvases else 0 end) as today, sum(canvases) as ever
    from authored_days where user_id = ${userId}`;
  if (Number(row?.today ?? 0) >= daily) refuseDaily(daily);
  if (Number(row?.ever ?? 0) >= total) refuseTotal(total);
}

import type { Env } from "../../env.ts";
import { DAY_MS } from "../days.ts";

/**
 * Counts a request of a guest or visitor on the current day (UTC), unless `most` requests are counted already. One statement compares and
 * adds, so that requests at the same time never exceed the limit. Returns null if the request was counted, otherwise the time in ms until
 * the next day.
 */
export async function takeOfDay(
  canvasId: string,
  profile: string,
  most: number,
  { db, clock }: Env,
): Promise<number | null> {
  const now = clock();
  const day = Math.floor(now / DAY_MS);
  const counted = await db.run`
    insert into connection_days (canvas_id, profile, day, requests) values (${canvasId}, ${profile}, ${day}, 1)
    on conflict (canvas_id, profile, day) do update set requests = connection_days.requests + 1
    where connection_days.requests < ${most}`;
  return counted === 1 ? null : (day + 1) * DAY_MS - now;
}

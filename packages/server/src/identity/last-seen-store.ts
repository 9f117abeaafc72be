import type { CanvasData } from "../canvases/canvas-data.ts";
import { asKeys } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

/** The interval at which the times of people are written. */
const INTERVAL_MS = 60 * 1000;
/** The maximum number of people in a statement. */
const AT_ONCE = 500;

/** When people last used the service. */
export const lastSeenData: CanvasData = {
  otherTables: ["last_seen"],
  people: { last_seen: { ids: ["user_id"], erased: "removed", exported: null } },
};

/** Writes the current time for the people who have been seen. If this fails, throws and keeps the others for the next attempt. */
export async function writeLastSeen({
  db,
  clock,
  lastSeen,
}: Pick<Env, "db" | "clock" | "lastSeen">): Promise<void> {
  const now = clock();
  const people = lastSeen.take(now);
  try {
    while (people.length > 0) {
      await db.withReserve.run`
        insert into last_seen (user_id, seen_at)
        select id, cast(${now} as bigint) from users
        where id in (select key from json_each(${asKeys(people.slice(0, AT_ONCE))}))
        on conflict (user_id) do update set seen_at = greatest(last_seen.seen_at, excluded.seen_at)`;
      people.splice(0, AT_ONCE);
    }
  } catch (error) {
    lastSeen.putBack(people);
    throw error;
  }
}

/** Writes the times of people every minute. Returns a function that stops this and writes the last ones. */
export function startLastSeen(env: Env): () => Promise<void> {
  const write = () =>
    writeLastSeen(env).catch((err) => env.log.warn({ err }, "who has been here waits for the database"));
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(write);
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
    await write();
  };
}

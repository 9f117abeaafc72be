import type { Views } from "@easel/protocol/management";
import type { WaitingViews } from "../async/page-views.ts";
import type { CanvasData } from "../canvases/canvas-data.ts";
import { asKeys, type Db, optional, sql, Unavailable } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { DAY_MS, type DayRange, REPORT_DAYS, utcDay } from "./days.ts";

/*
 * How often the pages of canvases are opened, and by how many people (decision 108). Who it was is stored nowhere: of a person there is only a
 * pseudonym, another one for each canvas, until 30 days after they last opened it.
 */

/** The interval at which counted views are written to the database. */
const INTERVAL_MS = 30_000;

/** The number of people that one batch adds. It is small because in SQLite a write blocks the event loop. */
const PEOPLE_AT_ONCE = 100;

/** The maximum number of rows that one statement removes, for the same reason. */
const REMOVED_AT_ONCE = 500;

/** The number of days for which the pseudonym of a person is kept. */
const VIEWER_DAYS = 30;

/** Returns the number of a day (UTC) since 1970. */
const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** The views of canvases by day, and the pseudonyms of those who opened them. */
export const pageViewData: CanvasData = {
  tables: {
    page_views: { key: ["canvas_id", "day"] },
    page_viewers: { key: ["canvas_id", "viewer"] },
  },
  // A viewer is a pseudonym, which nobody can tell from a person.
  cleanUps: [
    {
      what: "pseudonyms of people who opened pages",
      keptMs: VIEWER_DAYS * DAY_MS,
      remove: (until, { db }) => removeViewers(dayOf(until), db.withReserve),
    },
    {
      what: "counts of views",
      keptMs: REPORT_DAYS * DAY_MS,
      remove: (until, { db }) => db.withReserve.run`delete from page_views where day <= ${dayOf(until)}`,
    },
  ],
};

/** Returns what stands for a person in the counts of a canvas. Without the secret of the service nobody can tell whose it is. */
const pseudonymOf = (person: string, canvasId: string, { signer }: Env): string =>
  signer.sign("viewer", canvasId, person).slice(0, 22);

/**
 * Writes the views that this node has counted so far. If the database is unavailable, throws and keeps them for the next attempt. Views that
 * cannot be written for another reason are dropped, such as on a full disk.
 */
export async function writePageViews(env: Env): Promise<void> {
  const dropped = { views: 0, cause: null as unknown };
  try {
    await env.pageViews.write(async (views) => {
      try {
        await addViews(views, env);
      } catch (error) {
        if (error instanceof Unavailable) throw error;
        dropped.views += views.views;
        dropped.cause = error;
      }
    });
  } finally {
    if (dropped.cause !== null)
      env.log.error({ err: dropped.cause, views: dropped.views }, "views of pages are not counted");
  }
}

/**
 * Adds the views of a canvas on a day to those in the database. Adds nothing if the canvas has been purged in the meantime. The first step locks
 * the canvas, so that nodes that write at once count nobody twice. Once its views are written, `waiting` has none: after a failure, people can be
 * added again without being counted twice, views cannot.
 */
async function addViews(waiting: WaitingViews, env: Env): Promise<void> {
  const { canvasId, day, lastAt, people } = waiting;
  const left = [...people];
  do {
    const keys = asKeys(left.splice(0, PEOPLE_AT_ONCE).map((person) => pseudonymOf(person, canvasId, env)));
    await env.db.batch([
      sql`update canvases set last_used_at = greatest(last_used_at, ${lastAt}) where id = ${canvasId}`,
      sql`insert into page_views (canvas_id, day, views, people)
        select ${canvasId}, ${day}, ${waiting.views}, count(*) from json_each(${keys}) where not exists
          (select 1 from page_viewers where canvas_id = ${canvasId} and viewer = key and day >= ${day})
        on conflict (canvas_id, day) do update
          set views = page_views.views + excluded.views, people = page_views.people + excluded.people`,
      optional`insert into counts (canvas_id, kind, rows)
        select ${canvasId}, 'viewers', count(*) from json_each(${keys}) where not exists
          (select 1 from page_viewers where canvas_id = ${canvasId} and viewer = key)
        on conflict (canvas_id, kind) do update set rows = counts.rows + excluded.rows`,
      optional`insert into page_viewers (canvas_id, viewer, day)
        select ${canvasId}, key, ${day} from json_each(${keys}) where true
        on conflict (canvas_id, viewer) do update set day = excluded.day where page_viewers.day < excluded.day`,
    ]);
    waiting.views = 0;
  } while (left.length > 0);
}

/** Removes the pseudonyms of people who opened a canvas on `until` for the last time, or before. */
async function removeViewers(until: number, db: Db): Promise<void> {
  for (;;) {
    const found = await db.all<{ canvas_id: string }>`
      select distinct canvas_id from (
        select canvas_id from page_viewers where day <= ${until} limit ${REMOVED_AT_ONCE}) as old`;
    if (found.length === 0) return;
    for (const { canvas_id } of found) await removeViewersOf(canvas_id, until, db);
  }
}

/** Removes pseudonyms of one canvas, at most `REMOVED_AT_ONCE`. Locks the canvas first, as `addViews` does. */
const removeViewersOf = (canvasId: string, until: number, db: Db) =>
  db.batch([
    sql`update canvases set last_used_at = last_used_at where id = ${canvasId}`,
    optional`update counts set rows = rows - (select count(*) from (
        select 1 from page_viewers where canvas_id = ${canvasId} and day <= ${until} limit ${REMOVED_AT_ONCE}) as old)
      where canvas_id = ${canvasId} and kind = 'viewers'`,
    optional`delete from page_viewers where canvas_id = ${canvasId} and viewer in (
        select viewer from page_viewers where canvas_id = ${canvasId} and day <= ${until} limit ${REMOVED_AT_ONCE})`,
  ]);

/** Returns how often the pages of a canvas were opened in a range of days, and by how many people. Null if the instance counts no views. */
export async function viewsOfCanvas(
  canvasId: string,
  { from, to }: DayRange,
  { db, config }: Env,
): Promise<Views | null> {
  if (!config.pageViews) return null;
  const [rows, viewers] = await Promise.all([
    db.all<{ day: number; views: number; people: number }>`
      select day, views, people from page_views
      where canvas_id = ${canvasId} and day >= ${dayOf(Date.parse(from))} and day <= ${dayOf(Date.parse(to))} order by day`,
    db.get<{ rows: number }>`select rows from counts where canvas_id = ${canvasId} and kind = 'viewers'`,
  ]);
  return {
    total: rows.reduce((sum, { views }) => sum + views, 0),
    people: viewers?.rows ?? 0,
    days: rows.map(({ day, views, people }) => ({ day: utcDay(day * DAY_MS), views, people })),
  };
}

/** Writes the counted views every half minute. Returns a function that stops the timer and writes the remaining ones. */
export function startPageViews(env: Env): () => Promise<void> {
  const write = () =>
    writePageViews(env).catch((err) => env.log.warn({ err }, "views of canvases wait for the database"));
  const timer = setInterval(write, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await write();
  };
}

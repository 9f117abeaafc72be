import { LIMITS } from "@easel/protocol/limits";
import type { CallLogPage, LoggedCall, PageError } from "@easel/protocol/management";
import type { Budget, WaitingCalls } from "../async/call-log.ts";
import { type Db, optional, sql, Unavailable } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import type { CanvasData } from "./canvas-data.ts";
import { namesOf } from "./store.ts";

/** The time for which the calls of a canvas are kept. */
export const CALLS_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** The maximum number of rows that one statement removes. It is small because in SQLite a write blocks the event loop. */
const REMOVED_AT_ONCE = 500;

/** Deletes the calls that were made at or before a time in epoch milliseconds. */
export async function removeCalls(until: number, db: Db): Promise<void> {
  let removed: number;
  do {
    removed = await db.run`delete from call_log where (canvas_id, number) in
      (select canvas_id, number from call_log where at <= ${until} limit ${REMOVED_AT_ONCE})`;
  } while (removed === REMOVED_AT_ONCE);
}

/** The tables of the call log. */
export const callLogData: CanvasData = {
  tables: {
    call_log: { key: ["canvas_id", "number"] },
    call_log_ends: { key: ["canvas_id"] },
  },
  people: {
    call_log: {
      ids: ["user_id"],
      erased: "kept",
      exported: {
        part: "failed-calls",
        columns: ["canvas_id", "number", "at", "method", "route", "status", "code", "message"],
        order: ["canvas_id", "number"],
      },
    },
  },
  cleanUps: [
    {
      what: "logged calls",
      keptMs: CALLS_KEPT_MS,
      remove: (until, { db }) => removeCalls(until, db.withReserve),
    },
  ],
};

/** The interval at which logged calls are written to the database. */
const INTERVAL_MS = 2_000;

/** The maximum number of calls that one transaction inserts. */
const STORED_AT_ONCE = 100;

/** The number of calls of each budget that the log of a canvas keeps. */
const KEPT: Record<Budget, number> = {
  insider: LIMITS.loggedCalls.value,
  outsider: LIMITS.loggedOutsiderCalls.value,
  page: LIMITS.loggedPageErrors.value,
};

/** The budgets in the column `outsider`, which once had two values only. */
const COLUMN: Record<Budget, number> = { insider: 0, outsider: 1, page: 2 };

/** A position in the call log of a canvas: the number of an entry, and how many calls had been dropped when it was read. */
export interface CallLogCursor {
  number: number;
  dropped: number;
}

/** Writes the calls that this node has logged so far. If the database is unavailable, throws and keeps them for the next attempt. */
export function writeCallLog(env: Env): Promise<void> {
  return env.callLog.write(async (calls) => {
    try {
      await insertCalls(calls, env.db);
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      env.log.error({ err: error }, "calls of a canvas are not logged");
    }
  }, env.clock());
}

/**
 * Inserts calls of a canvas, and removes the oldest entries of the same budgets if there are too many of one. Inserts nothing if the canvas has been deleted in the meantime. The first step locks the row with the number of the newest entry. Entries therefore
 * become visible in the order of their numbers, even if several nodes write them (decision 042).
 */
async function insertCalls({ canvasId, calls, dropped }: WaitingCalls, db: Db): Promise<void> {
  const some = calls.slice(0, STORED_AT_ONCE);
  const rest = calls.slice(STORED_AT_ONCE);
  const outcome = await db.batch([
    sql`insert into call_log_ends (canvas_id, last, dropped)
      select id, ${some.length}, ${rest.length > 0 ? 0 : dropped} from canvases
      where id = ${canvasId} and deleted_at is null
      on conflict (canvas_id) do update set last = call_log_ends.last + excluded.last,
        dropped = call_log_ends.dropped + excluded.dropped`,
    ...some.map(
      ({ at, method, route, status, code, message, userId, requestId, pageError, budget }, index) => sql`
        insert into call_log (canvas_id, number, at, method, route, status, code, message, user_id, request_id, page_error, outsider)
        select canvas_id, last - ${some.length - 1 - index}, ${at}, ${method}, ${route}, ${status}, ${code}, ${message},
          ${userId}, ${requestId}, ${pageError && JSON.stringify(pageError)}, ${COLUMN[budget]}
        from call_log_ends where canvas_id = ${canvasId}`,
    ),
    ...[...new Set(some.map(({ budget }) => budget))].map(
      (budget) => optional`
        delete from call_log where canvas_id = ${canvasId} and outsider = ${COLUMN[budget]} and number <=
          (select number from call_log where canvas_id = ${canvasId} and outsider = ${COLUMN[budget]}
           order by number desc limit 1 offset ${KEPT[budget]})`,
    ),
  ]);
  if (rest.length > 0 && outcome === "done") await insertCalls({ canvasId, calls: rest, dropped }, db);
}

interface Row {
  number: number;
  at: number;
  method: string;
  route: string;
  status: number;
  code: string | null;
  message: string | null;
  user_id: string | null;
  request_id: string;
  page_error: string | null;
}

const callOf = ({
  at,
  method,
  route,
  status,
  code,
  message,
  user_id,
  request_id,
  page_error,
}: Row): LoggedCall => ({
  at,
  method,
  route,
  status,
  code,
  message,
  userId: user_id,
  requestId: request_id,
  pageError: page_error === null ? null : (JSON.parse(page_error) as PageError),
});

/**
 * Reads the calls after a cursor, oldest first, at most `limit`. Without a cursor, reads the newest calls. The result has the
 * cursor for the next read, even if it has no calls.
 */
export async function readCallLog(
  canvasId: string,
  { after, limit }: { after: CallLogCursor | null; limit: number },
  { db, clock }: Env,
): Promise<CallLogPage> {
  const since = clock() - CALLS_KEPT_MS;
  // Read before the entries. Otherwise `last` could be the number of an entry that the second statement missed, and the next read would
  // skip that entry.
  const end = (await db.get<{ last: number; dropped: number }>`
    select last, dropped from call_log_ends where canvas_id = ${canvasId}`) ?? { last: 0, dropped: 0 };
  const rows = after
    ? await db.all<Row>`
        select number, at, method, route, status, code, message, user_id, request_id, page_error from call_log
        where canvas_id = ${canvasId} and number > ${after.number} and at > ${since} order by number limit ${limit}`
    : (
        await db.all<Row>`
          select number, at, method, route, status, code, message, user_id, request_id, page_error from call_log
          where canvas_id = ${canvasId} and at > ${since} order by number desc limit ${limit}`
      ).reverse();
  const last = rows.at(-1)?.number ?? Math.max(end.last, after?.number ?? 0);
  const names = await namesOf(
    rows.flatMap(({ user_id }) => user_id ?? []),
    canvasId,
    db,
  );
  return {
    entries: rows.map((row) => ({ ...callOf(row), userName: names.get(row.user_id ?? "") ?? null })),
    next: `${last}-${end.dropped}`,
    dropped: Math.max(0, end.dropped - (after?.dropped ?? 0)),
  };
}

/** Writes the logged calls every two seconds. Returns a function that stops the timer and writes the remaining calls. */
export function startCallLog(env: Env): () => Promise<void> {
  const write = () =>
    writeCallLog(env).catch((err) => env.log.warn({ err }, "calls of canvases wait for the database"));
  const timer = setInterval(write, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await write();
  };
}

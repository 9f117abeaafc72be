import { codeOf } from "@easel/protocol/call-hints";
import type { Call, CallLog } from "../../api/types.ts";
import { isolated } from "../../kit/words.ts";

/** What stands in the address for callers who are not signed in. */
export const ANONYMOUS = "anonymous";

/** The most calls that the service keeps of a canvas. */
const CALLS_KEPT = 2_500;

/** Returns a log with a page after it. Has as many calls as the service keeps. */
export const joined = (log: CallLog, { entries, next, dropped }: CallLog): CallLog => ({
  entries: [...log.entries, ...entries].slice(-CALLS_KEPT),
  next,
  dropped: log.dropped + dropped,
});

/** A call in a list. */
export interface CallRow extends Call {
  id: string;
}

/** The rows of calls: a list draws a row again if it is another object. */
const rows = new WeakMap<Call, CallRow>();

/**
 * Returns the calls with the newest first, each with an id that it keeps while others come. The calls of one WebSocket have the same request
 * id, so they are numbered. A call that is still there has the same object.
 */
export function rowsOf(entries: readonly Call[]): CallRow[] {
  const seen = new Map<string, number>();
  return entries
    .map((call) => {
      const number = seen.get(call.requestId) ?? 0;
      seen.set(call.requestId, number + 1);
      const id = number === 0 ? call.requestId : `${call.requestId}.${number}`;
      const known = rows.get(call);
      if (known?.id === id) return known;
      const row = { ...call, id };
      rows.set(call, row);
      return row;
    })
    .reverse();
}

/** Returns what a list says of a call: the method and path, or the message of an error of a page. */
export const nameOf = ({
  method,
  route,
  pageError,
  message,
  code,
}: Pick<Call, "method" | "route" | "pageError" | "message" | "code">): string =>
  pageError === null ? `${method} ${route}` : (message ?? String(code));

/** What went wrong in a page, by the code of the error. */
const PAGE_TITLES = new Map([
  ["SCRIPT_ERROR", "A script of the page failed"],
  ["LOAD_FAILED", "A file of the page did not load"],
  ["CSP_VIOLATION", "The browser blocked a part of the page"],
]);

/** Returns where an error of a page happened, such as "/app.js, line 3, column 14", or null if it is unknown. */
export function placeOf({ source, line, column, page }: NonNullable<Call["pageError"]>): string | null {
  if (source === null && line === null) return null;
  const numbers = [line === null ? [] : [`line ${line}`], column === null ? [] : [`column ${column}`]].flat();
  return [source ?? page, ...numbers].join(", ");
}

/** Returns who called, as the address names them. */
export const personOf = ({ userId }: Pick<Call, "userId">): string => userId ?? ANONYMOUS;

/** Returns who called, in words. */
export const callerOf = ({ userId, userName }: Pick<Call, "userId" | "userName">): string =>
  userId === null ? "Not signed in" : (userName ?? "Somebody who has left");

/** Returns the question that the details of a call answer, such as "Why Bo was refused". */
export function titleOf(call: Pick<Call, "userId" | "userName" | "status" | "pageError" | "code">): string {
  if (call.pageError !== null) return PAGE_TITLES.get(call.code ?? "") ?? "Something went wrong in the page";
  const who =
    call.userId === null
      ? "somebody who is not signed in"
      : call.userName === null
        ? "somebody"
        : isolated(call.userName);
  return call.status >= 500 && call.status < 600 ? `Why a call of ${who} failed` : `Why ${who} was refused`;
}

interface Choice {
  value: string;
  label: string;
}

/** Returns the choices of a filter: each value with its number of calls, the most frequent first, and the chosen one in any case. */
function counted<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  labelOf: (row: Row) => string,
  chosen: string,
): Choice[] {
  const found = new Map<string, { label: string; count: number }>();
  if (chosen !== "") found.set(chosen, { label: chosen, count: 0 });
  for (const row of rows) {
    const value = keyOf(row);
    found.set(value, { label: labelOf(row), count: (found.get(value)?.count ?? 0) + 1 });
  }
  return [...found]
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([value, { label, count }]) => ({ value, label: `${label} (${count})` }));
}

/** Returns the codes and the people that the calls can be narrowed to. */
export const choicesOf = (
  rows: readonly Call[],
  chosen: { code: string; person: string },
): { codes: Choice[]; people: Choice[] } => ({
  codes: counted(rows, codeOf, codeOf, chosen.code),
  people: counted(rows, personOf, callerOf, chosen.person),
});

import { setTimeout as wait } from "node:timers/promises";
import type { CallLogPage, NamedCall, PageError } from "@easel/protocol/management";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import { Refusal } from "../api/refusal.ts";
import { bodyOf, type Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { Failure } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { count, isoTime, parseMoment } from "../terminal/format.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The flags of `easel logs`. */
export interface LogsOptions extends CanvasOptions {
  follow?: boolean;
  since?: string;
}

/** The cursor before the first call of a log. */
const START = "0-0";
/** The maximum number of calls that one request returns. */
const PAGE_SIZE = 1000;
/** The shortest pause between two requests for new calls. The pause grows while there are no new calls. */
const SHORTEST_PAUSE_MS = 1000;
/** The longest pause while there are no new calls. */
const LONGEST_PAUSE_MS = 5000;
/** The longest pause while the service cannot be reached. */
const LONGEST_OUTAGE_PAUSE_MS = 30_000;

/** Whether an error is temporary: a failed connection, a rate limit or a server error. */
const isTemporary = (error: unknown) =>
  error instanceof Refusal
    ? error.status === 429 || error.status >= 500
    : error instanceof Failure && error.exit === "unreachable";

/** Returns who called, or had the page open. */
const personOf = ({ userId, userName }: NamedCall): string =>
  userId === null ? "anonymous" : `by ${userName ?? userId}`;

/** Formats an error of a page as a line: local time, page, message with its place, and the code, how often it happened and for whom. */
function errorLineOf(call: NamedCall, error: PageError, terminal: Terminal): string {
  const { page, source, line, column, count, preview } = error;
  const place = [source ?? (line === null ? [] : page), line ?? [], column ?? []].flat().join(":");
  const fields = [
    call.code ?? "",
    count === 1 ? "" : `${count} times`,
    preview ? "in a preview" : "",
    personOf(call),
  ];
  return [
    terminal.style("dim", new Date(call.at).toLocaleString("sv")),
    terminal.style("red", "page"),
    clean(page),
    clean(`${call.message ?? ""}${place === "" ? "" : ` (${place})`}`),
    terminal.style("dim", clean(fields.filter(Boolean).join(" "))),
  ].join("  ");
}

/** Formats a call as a line: local time, status, method and path, error code or message, and the name of the caller. */
function lineOf(call: NamedCall, terminal: Terminal): string {
  const { at, status, method, route, code, message, pageError } = call;
  // A service that is older than this field leaves it out.
  if (pageError) return errorLineOf(call, pageError, terminal);
  const color = status >= 500 && status < 1000 ? "red" : status >= 1000 ? "magenta" : "yellow";
  const time = new Date(at).toLocaleString("sv");
  const fields = [code ?? message ?? "", personOf(call)].filter(Boolean);
  return [
    terminal.style("dim", time),
    terminal.style(color, String(status)),
    clean(`${method} ${route}`),
    terminal.style("dim", clean(fields.join(" "))),
  ].join("  ");
}

/** Reads the calls after a cursor, or the newest ones without a cursor. */
const readPage = (
  id: string,
  after: string | undefined,
  limit: number,
  { api }: Pick<Service, "api">,
): Promise<CallLogPage> => {
  const query = after === undefined ? { limit } : { limit, after };
  return bodyOf(api.GET("/api/canvases/{id}/log", { params: { path: { id }, query } }));
};

/** Prints each call as a line, which is a JSON object with `--json`. Then prints the number of calls that were not logged. */
function print({ entries, dropped }: CallLogPage, terminal: Terminal): void {
  for (const call of entries) {
    const text = terminal.json ? JSON.stringify({ ...call, at: isoTime(call.at) }) : lineOf(call, terminal);
    terminal.print(`${text}\n`);
  }
  if (dropped > 0) terminal.say(`${count(dropped, "further call")} came too fast to be logged.`);
}

/** The cursor after the calls that were printed, and whether there were any. */
interface Printed {
  next: string;
  isEmpty: boolean;
}

/** Prints the calls since a time. */
async function printSince(id: string, since: number, service: Service, terminal: Terminal): Promise<Printed> {
  let next = START;
  let isEmpty = true;
  for (;;) {
    const page = await readPage(id, next, PAGE_SIZE, service);
    const entries = page.entries.filter(({ at }) => at >= since);
    print({ ...page, entries }, terminal);
    next = page.next;
    isEmpty &&= entries.length === 0 && page.dropped === 0;
    if (page.entries.length < PAGE_SIZE) return { next, isEmpty };
  }
}

/** Prints the newest calls. */
async function printNewest(id: string, service: Service, terminal: Terminal): Promise<Printed> {
  const page = await readPage(id, undefined, 100, service);
  print({ ...page, dropped: 0 }, terminal);
  return { next: page.next, isEmpty: page.entries.length === 0 };
}

/**
 * Prints new calls until the run is interrupted. While the service cannot be reached, tries again with growing pauses. `pauseFor` waits for
 * a time in milliseconds.
 */
export async function follow(
  id: string,
  start: string,
  service: Pick<Service, "api" | "url">,
  { terminal, signal }: Pick<Context, "terminal" | "signal">,
  pauseFor: (ms: number) => Promise<void> = (ms) => wait(ms, undefined, { signal }),
): Promise<never> {
  let after = start;
  let pause = SHORTEST_PAUSE_MS;
  let isAway = false;
  for (;;) {
    await pauseFor(pause);
    try {
      const page = await readPage(id, after, PAGE_SIZE, service);
      print(page, terminal);
      after = page.next;
      const isIdle = page.entries.length === 0;
      pause = isIdle && !isAway ? Math.min(pause * 1.5, LONGEST_PAUSE_MS) : SHORTEST_PAUSE_MS;
      if (isAway) terminal.say(`${service.url} answers again.`);
      isAway = false;
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw error;
      if (!isAway) terminal.say(`${(error as Failure).message} Trying again…`);
      isAway = true;
      pause = Math.min(pause * 2, LONGEST_OUTAGE_PAUSE_MS);
    }
  }
}

/** Prints the refused and failed calls of a canvas and the errors of its pages, oldest first. With `--follow`, goes on with new ones. */
export async function logs(options: LogsOptions, context: Context): Promise<void> {
  const { terminal } = context;
  const since = options.since === undefined ? undefined : parseMoment(options.since, "--since", "past");
  const { service, canvas } = await findCanvas(options, context);
  const { next, isEmpty } =
    since === undefined
      ? await printNewest(canvas.id, service, terminal)
      : await printSince(canvas.id, since, service, terminal);
  if (isEmpty) terminal.say("No refused calls and no errors of pages.");
  if (options.follow) await follow(canvas.id, next, service, context);
}

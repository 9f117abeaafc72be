import type { PageError } from "@easel/protocol/management";
import type { Api } from "../request.ts";
import { type FoundError, watchErrors } from "./watch-errors.ts";

/** An error as the service gets it. */
interface Report extends PageError {
  code: FoundError["code"];
  message: string;
}

/** An error of this minute. Its report has the number of times that the service does not know yet. */
interface Known {
  report: Report;
  subject: string;
  isSent: boolean;
}

const MINUTE_MS = 60_000;
/** The time that the first error waits for others. */
const GATHER_MS = 1_000;
/** The maximum number of different errors a minute, and of the characters of a text: what the service keeps. */
const MAX_ERRORS = 20;
const MAX_LENGTH = 500;

/**
 * Reports the errors of the page from now on. Errors that are the same are reported when the first one happens, and then, counted, at the end
 * of the minute or when the page is hidden. `canvas` is the address of the canvas. Never throws: a report that does not arrive is lost, and
 * once the service has refused one there are no more.
 */
export function reportErrors(api: Pick<Api, "url" | "send">, canvas: string, preview: boolean): void {
  const errors = new Map<string, Known>();
  let isGathering = false;

  /**
   * Returns a URL as a path below the address of the canvas, such as `/app.js`, or with its origin if it is elsewhere. Leaves out the query,
   * which can contain anything. Other texts, such as `inline`, stay.
   */
  const short = (given = "") => {
    if (!given.startsWith("http")) return given;
    const { origin, pathname } = new URL(given);
    const url = origin + pathname;
    return url.startsWith(canvas) ? url.slice(canvas.length - 1) : url;
  };

  /** Sends the errors that the service does not know, with `repeated` also the further times of those that it knows. */
  const send = (repeated: boolean) => {
    isGathering = false;
    const due = [...errors.values()].filter(({ report, isSent }) => report.count && (repeated || !isSent));
    if (!due.length) return;
    const body = JSON.stringify({ errors: due.map(({ report }) => report) });
    for (const each of due) {
      each.report.count = 0;
      each.isSent = true;
    }
    // The body is sent as text, because browsers ask before they send JSON to another origin, and not once the page has been left.
    api.send("POST", "/page-errors", { body, keepalive: true }).catch((error) => {
      const status = error?.status;
      if (status >= 400 && status < 500 && status !== 429) stop();
    });
  };

  /** Whether an error follows from one that is known: what the policy blocks does not load, either. Forgets one that follows from this error. */
  const follows = ({ code, subject }: FoundError) => {
    for (const [key, known] of errors) {
      if (!subject || known.subject !== subject || known.report.code === code) continue;
      if (code === "LOAD_FAILED") return true;
      if (!known.isSent) errors.delete(key);
    }
    return false;
  };

  const stop = watchErrors((error) => {
    const { code, text, subject = "", source, line, column } = error;
    if (subject === api.url("/page-errors") || follows(error)) return;
    const page = short(location.href).slice(0, MAX_LENGTH);
    const where = short(source).slice(0, MAX_LENGTH);
    const report: Report = {
      code,
      message: (subject ? `${text}: ${short(subject)}` : text).slice(0, MAX_LENGTH),
      page,
      source: where === page ? null : where || null,
      line: line || null,
      column: column || null,
      count: 0,
      preview,
    };
    const key = JSON.stringify(report);
    const known = errors.get(key) ?? { report, subject, isSent: false };
    if (!errors.size)
      setTimeout(() => {
        send(true);
        errors.clear();
      }, MINUTE_MS);
    if (errors.size < MAX_ERRORS) errors.set(key, known);
    known.report.count++;
    if (known.isSent || isGathering) return;
    // Nobody knows whether a page that is hidden will be shown again.
    if (document.hidden) return send(false);
    isGathering = true;
    setTimeout(send, GATHER_MS, false);
  });
  document.addEventListener("visibilitychange", () => document.hidden && send(true));
}

/**
 * Reports the errors of this page if the person who has it open is the owner or an editor, or if it is a preview. The service tells so by a
 * header of the page, which the Performance API has, and checks it again when it gets a report. For everyone else this does nothing.
 */
export function startReports(api: Pick<Api, "url" | "send">): void {
  const [load] = (globalThis.performance?.getEntriesByType?.("navigation") ??
    []) as PerformanceNavigationTiming[];
  const told = load?.serverTiming?.find(({ name }) => name === "easel");
  if (!told) return;
  // In path mode, the API has the origin of the page, and the address of the canvas has a path.
  const [canvas = ""] = api.url("").startsWith(location.origin)
    ? (/^\/c\/[^/]+/.exec(location.pathname) ?? [])
    : [];
  reportErrors(api, `${location.origin}${canvas}/`, told.description === "preview");
}

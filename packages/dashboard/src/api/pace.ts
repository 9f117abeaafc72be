/** The requests of a minute that reads leave to what a person does next, and to other pages of theirs. */
const RESERVE = 10;

/** The maximum time that a request waits: the service counts requests in windows of a minute. */
const WINDOW_MS = 60_000;

export type Access = "read" | "write";

/** Keeps the requests to one canvas inside the rate limit of the person. Times are epoch milliseconds. */
export interface Pace {
  /**
   * Returns null if a request may be sent now, and counts it. Otherwise returns the time at which to ask again: for a read when fewer than
   * ten requests are left, for a write when none is left.
   */
  take(access: Access, now: number): number | null;
  /** Takes note of the end of a request. `headers` are those of its response, or null if there was none. */
  answered(headers: Headers | null, now: number): void;
}

/** Creates the pace of one canvas. Until the first response, and if the service does not limit requests, nothing waits. */
export function createPace(): Pace {
  let limit = Number.POSITIVE_INFINITY;
  let left = limit;
  let resetAt = 0;
  let unanswered = 0;

  return {
    take(access, now) {
      if (now >= resetAt) left = limit - unanswered;
      if (left < (access === "read" ? RESERVE : 1)) return Math.max(resetAt, now + 1_000);
      left -= 1;
      unanswered += 1;
      return null;
    },

    answered(headers, now) {
      unanswered -= 1;
      const number = (name: string) => Number(headers?.get(`x-ratelimit-${name}`) ?? Number.NaN);
      const remaining = number("remaining");
      if (Number.isNaN(remaining)) return;
      limit = number("limit");
      // The service may not have counted those that are under way.
      left = remaining - unanswered;
      // Its clock need not be that of the browser.
      const clock = Date.parse(headers?.get("date") ?? "");
      const reset = number("reset") * 1_000 - (Number.isNaN(clock) ? now : clock);
      resetAt = now + Math.min(Math.max(reset, 1_000), WINDOW_MS);
    },
  };
}

const FIRST_DELAY_MS = 500;
/**
 * The maximum delay between two attempts to connect, in ms. If a connection has lasted at least this long, the next delay is the minimum
 * again.
 */
export const MAX_DELAY_MS = 10_000;

/** Returns the delay before the next attempt to connect, in ms: 500, doubled after each failure, up to 10,000 (specification 6). */
export function backoff(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS);
}

/** Calls `connect` once: after `delay` ms, or earlier if a new attempt is likely to succeed. Returns a function that cancels the call. */
export type ScheduleReconnect = (delay: number, connect: () => void) => () => void;

/** The part of `window` with network events and the page's visibility. Both members are missing outside browsers. */
interface Window {
  addEventListener?(type: string, listener: () => void, options: { signal: AbortSignal }): void;
  readonly document?: { readonly visibilityState: string };
}

/** Calls `connect` after the delay, or as soon as the network is back or the page becomes visible. */
export const scheduleReconnect: ScheduleReconnect = (delay, connect) => {
  const window = globalThis as Window;
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const cancel = () => {
    controller.abort();
    clearTimeout(timer);
  };
  const run = () => {
    cancel();
    connect();
  };
  const timer = setTimeout(run, delay);
  window.addEventListener?.("online", run, options);
  window.addEventListener?.(
    "visibilitychange",
    () => {
      if (window.document?.visibilityState === "visible") run();
    },
    options,
  );
  return cancel;
};

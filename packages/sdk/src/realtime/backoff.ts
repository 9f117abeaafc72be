const FIRST = 500;
/** The longest pause between two attempts, in milliseconds; what has been connected for so long has not failed. */
export const LONGEST = 10_000;

/** Milliseconds before the next attempt: 500 doubling to 10,000 (specification 6). */
export function backoff(failures: number): number {
  return Math.min(FIRST * 2 ** failures, LONGEST);
}

/** Calls `then` once: after `delay` ms, or as soon as the network or the viewer is back. Gives what calls it off. */
export type Pause = (delay: number, then: () => void) => () => void;

/** The part of `window` that tells of network and viewer; other places have none of it. */
interface Window {
  addEventListener?(type: string, listener: () => void, options: { signal: AbortSignal }): void;
  readonly document?: { readonly visibilityState: string };
}

/** The pause of a page. */
export const pause: Pause = (delay, then) => {
  const window = globalThis as Window;
  const over = new AbortController();
  const until = { signal: over.signal };
  const end = () => {
    over.abort();
    clearTimeout(timer);
  };
  const go = () => {
    end();
    then();
  };
  const timer = setTimeout(go, delay);
  window.addEventListener?.("online", go, until);
  window.addEventListener?.(
    "visibilitychange",
    () => {
      if (window.document?.visibilityState === "visible") go();
    },
    until,
  );
  return end;
};

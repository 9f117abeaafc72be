import { ApiError, isPassing, SignedOut } from "../api/api-error.ts";
import { whenSignedIn } from "../api/session.ts";

/** The maximum number of times that a request is sent while the service cannot be reached or is busy. */
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 30_000;

/** Returns the pause before a request is sent again, in milliseconds. `tries` is how often it has been sent. */
export const pauseOf = (retryAfter: number | null, tries: number): number =>
  retryAfter === null ? Math.min(500 * 2 ** (tries - 1), MAX_PAUSE_MS) : retryAfter * 1_000;

/** Waits, unless the signal aborts, which throws its reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

export interface Patience {
  signal: AbortSignal;
  /** Is told why a request waits, in words; null when it goes on. */
  onWait: (reason: string | null) => void;
  /** Whether the request may be sent again although the service may have received it. True by default. */
  isRepeatable?: boolean;
}

/** Returns why a request waits, in words. */
function reasonOf(error: ApiError, ms: number): string {
  if (error.status === 0) return "The connection is lost. Trying again…";
  return `The service is busy. Going on in ${Math.ceil(ms / 1_000)} s…`;
}

/**
 * Sends a request again while the service is busy or cannot be reached, and after the person has signed in again if their session has ended.
 * Throws other errors, and these after eight attempts.
 */
export async function patiently<Result>(
  send: () => Promise<Result>,
  { signal, onWait, isRepeatable = true }: Patience,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      const result = await send();
      onWait(null);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SignedOut) {
        onWait("Waiting until you have signed in again. Nothing is lost.");
        await whenSignedIn(signal);
      } else {
        if (!(error instanceof ApiError) || !isPassing(error, isRepeatable) || tries >= MAX_TRIES)
          throw error;
        const ms = pauseOf(error.retryAfter, tries);
        onWait(reasonOf(error, ms));
        await pause(ms, signal);
      }
    }
  }
}

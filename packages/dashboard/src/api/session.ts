import { useSyncExternalStore } from "react";

/** The channel on which the page `/auth/done` says that a sign-in has ended. */
const CHANNEL = "easel-session";

let signedOut = false;
const listeners = new Set<() => void>();

function change(to: boolean): void {
  if (signedOut === to) return;
  signedOut = to;
  for (const listener of listeners) listener();
}

/** Records that the service has refused the session. It stays so until `noteSignedIn`: an answer alone does not tell who has signed in. */
export const noteSignedOut = (): void => change(true);

/** Records that the same person has signed in again. */
export const noteSignedIn = (): void => change(false);

export const isSignedOut = (): boolean => signedOut;

/** Whether the session has ended. Screens stay as they are, so that what was typed is kept. */
export const useSignedOut = (): boolean =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isSignedOut);

/**
 * Calls `listener` when somebody may have signed in or out in another window: that window says so, or the person comes back to this one. Returns
 * a function that stops it. In path mode, pages of canvases can send the same message, so it means no more than that the session is worth
 * asking for.
 */
export function onMaybeSignedIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
  addEventListener("focus", listener);
  return () => {
    channel.close();
    removeEventListener("focus", listener);
  };
}

/** Resolves when the same person has signed in again. If the signal aborts, throws its reason. */
export function whenSignedIn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const listener = () => {
      if (signedOut && !signal.aborted) return;
      listeners.delete(listener);
      signal.removeEventListener("abort", listener);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    listeners.add(listener);
    signal.addEventListener("abort", listener);
    listener();
  });
}

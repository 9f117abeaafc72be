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

/** Records that the service has refused the session. */
export const noteSignedOut = (): void => change(true);

/** Records that the service knows the caller. */
export const noteSignedIn = (): void => change(false);

export const isSignedOut = (): boolean => signedOut;

/** Whether the session has ended. Screens stay as they are, so that what was typed is kept. */
export const useSignedOut = (): boolean =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isSignedOut);

/**
 * Calls `listener` when a sign-in in another window may have ended: that window says so, or the person comes back to this one. Returns a
 * function that stops it. In path mode, pages of canvases can send the same message, so it means no more than that the session is worth
 * asking for.
 */
export function onSignedIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
  const comeBack = () => {
    if (signedOut) listener();
  };
  addEventListener("focus", comeBack);
  return () => {
    channel.close();
    removeEventListener("focus", comeBack);
  };
}

/** Resolves when the service knows the caller again. If the signal aborts, throws its reason. */
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

import { useSyncExternalStore } from "react";

/** A short message at the edge of the page. It is never the only place of an error. */
export interface Toast {
  text: string;
  /** An act that the message offers, such as Undo. */
  act?: { label: string; run: () => unknown };
  /** Is called when the message goes without its act, such as an Undo that nobody wanted. */
  onGone?: () => void;
}

interface Shown extends Toast {
  id: number;
}

/** The number of messages that are shown at once. An older one makes room. */
const MAX = 3;

/** The time in milliseconds for which a message is shown. */
export const SHOWN_MS = 6_000;

let shown: readonly Shown[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(to: readonly Shown[]): void {
  shown = to;
  for (const listener of listeners) listener();
}

/** Shows a message for six seconds. It stays while the pointer or the focus is on the messages. */
export function toast(message: Toast): void {
  const all = [...shown, { ...message, id: ++count }];
  change(all.slice(-MAX));
  for (const { onGone } of all.slice(0, -MAX)) onGone?.();
}

export function dismiss(id: number): void {
  const gone = shown.find((each) => each.id === id);
  change(shown.filter((each) => each !== gone));
  gone?.onGone?.();
}

/** Performs the act of a message, which goes. */
export function act(id: number): void {
  const found = shown.find((each) => each.id === id);
  change(shown.filter((each) => each !== found));
  found?.act?.run();
}

/** The messages to show, the oldest first. */
export const useToasts = (): readonly Shown[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );

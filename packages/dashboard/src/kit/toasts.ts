import { useSyncExternalStore } from "react";

/** A short message at the edge of the page. It is never the only place of an error. */
export interface Toast {
  text: string;
  /** An act that the message offers, such as Undo. */
  act?: { label: string; run: () => unknown };
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
  change([...shown, { ...message, id: ++count }].slice(-MAX));
}

export const dismiss = (id: number): void => change(shown.filter((each) => each.id !== id));

/** The messages to show, the oldest first. */
export const useToasts = (): readonly Shown[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );

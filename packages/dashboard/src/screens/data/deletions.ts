import { useSyncExternalStore } from "react";
import { isSignedOut } from "../../api/session.ts";
import { toast } from "../../kit/toasts.ts";

/** A deletion that can still be undone. */
interface Deletion {
  ids: readonly string[];
  send: (id: string) => Promise<unknown>;
  /** Whether nothing gets the id again that was deleted, as a key does. */
  isForGood: boolean;
  /** Is called after an Undo, which has taken the focus with it. */
  onUndone: () => void;
  /** Is called once the service has answered, with why the last of those that were not deleted was not. */
  onSent: (error: Error | null) => void;
}

/** The deletions that are not done yet. `isSent`: they cannot be undone any more. */
const waiting = new Map<Deletion, { isSent: boolean }>();
const gone = new Set<string>();
const listeners = new Set<() => void>();
let hidden: ReadonlySet<string> = new Set();

function changed(): void {
  hidden = new Set([...gone, ...[...waiting.keys()].flatMap(({ ids }) => ids)]);
  for (const listener of listeners) listener();
}

/** Returns the ids of what is not shown any more: its deletion waits, or is done. */
export const hiddenIds = (): ReadonlySet<string> => hidden;

/** Calls `listener` when something else is hidden. Returns a function that stops it. */
export function onHidden(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns `hiddenIds` for a component, which is drawn again when they change. */
export const useHiddenIds = (): ReadonlySet<string> => useSyncExternalStore(onHidden, hiddenIds);

/** Hides what was deleted, before the news of it comes. */
export function noteDeleted(id: string): void {
  gone.add(id);
  changed();
}

/** Sends a deletion, unless it was undone or sent before. The requests begin at once, so that they outlive the page. */
async function send(deletion: Deletion): Promise<void> {
  const state = waiting.get(deletion);
  if (state === undefined || state.isSent) return;
  state.isSent = true;
  const { ids, send, isForGood, onSent } = deletion;
  const results = await Promise.allSettled(
    ids.map(async (id) => {
      await send(id);
      if (isForGood) gone.add(id);
    }),
  );
  waiting.delete(deletion);
  changed();
  onSent(results.findLast((result) => result.status === "rejected")?.reason ?? null);
}

/** Hides things of a list, and deletes them after a message that offers Undo has gone, or when the page is left. */
export function deleteLater(text: string, deletion: Deletion): void {
  waiting.set(deletion, { isSent: false });
  changed();
  toast({
    text,
    act: {
      label: "Undo",
      run() {
        if (waiting.get(deletion)?.isSent !== false) return toast({ text: "It was deleted already." });
        waiting.delete(deletion);
        changed();
        deletion.onUndone();
      },
    },
    onGone: () => void send(deletion),
  });
}

addEventListener("pagehide", () => {
  // What was deleted by one person is not sent in the name of another one.
  if (!isSignedOut()) for (const deletion of waiting.keys()) void send(deletion);
});

import { isSignedOut } from "../../../api/session.ts";
import { toast } from "../../../kit/toasts.ts";

/** A deletion that can still be undone. */
interface Deletion {
  ids: readonly string[];
  send: (id: string) => Promise<unknown>;
  /** Is called with the ids that were not deleted, and why the last of them was not. */
  onEnd: (left: readonly string[], error: Error | null) => void;
}

const waiting = new Set<Deletion>();

/** Sends what waits: nobody can undo it any more. The requests begin at once, so that they outlive the page. */
async function send(deletion: Deletion): Promise<void> {
  if (!waiting.delete(deletion)) return;
  const { ids, send, onEnd } = deletion;
  const results = await Promise.allSettled(ids.map((id) => send(id)));
  const refused = results.flatMap((result, index) =>
    result.status === "rejected" ? [{ id: ids[index] as string, error: result.reason as Error }] : [],
  );
  onEnd(
    refused.map(({ id }) => id),
    refused.at(-1)?.error ?? null,
  );
}

/**
 * Deletes after a message that offers Undo has gone, or when the page is left. `onEnd` is called with what was not deleted: with all of it after
 * an Undo.
 */
export function deleteLater(text: string, deletion: Deletion): void {
  waiting.add(deletion);
  toast({
    text,
    act: {
      label: "Undo",
      run() {
        if (waiting.delete(deletion)) deletion.onEnd(deletion.ids, null);
      },
    },
    onGone: () => void send(deletion),
  });
}

/** Whether a record waits for its deletion. */
export const isWaiting = (id: string): boolean => [...waiting].some(({ ids }) => ids.includes(id));

addEventListener("pagehide", () => {
  // What was deleted by one person is not sent in the name of another one.
  if (isSignedOut()) waiting.clear();
  for (const deletion of waiting) void send(deletion);
});

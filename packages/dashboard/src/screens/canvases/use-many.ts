import { useState } from "react";
import { SignedOut } from "../../api/api-error.ts";
import type { ListedCanvas } from "../../api/types.ts";
import { toast } from "../../kit/toasts.ts";
import { eachOf, type Failure } from "./many.ts";

/** An act on many canvases. The words of an act on three are, for example, "Archiving 3" while it lasts and "Archived 3" after it. */
export interface ManyAct {
  doing: string;
  done: string;
  run: (canvas: ListedCanvas) => Promise<unknown>;
  undo?: (canvas: ListedCanvas) => Promise<unknown>;
}

const nameOf = (canvases: readonly { title: string }[]): string =>
  canvases.length === 1 ? `"${canvases[0]?.title}"` : `${canvases.length} canvases`;

/** Performs acts on many canvases, one act at a time. */
export function useMany() {
  const [progress, setProgress] = useState<string | null>(null);
  const [failures, setFailures] = useState<readonly Failure[]>([]);

  /** Performs an act on each canvas, and offers Undo for those that it changed. Returns the ids of those that it did not. */
  async function perform(canvases: readonly ListedCanvas[], { doing, done, run, undo }: ManyAct) {
    setFailures([]);
    const result = await eachOf(canvases, run, (count) =>
      setProgress(`${doing} ${count + 1} of ${canvases.length}…`),
    );
    setProgress(null);
    // The frame has a bar for the end of the session.
    setFailures(result.failures.filter(({ error }) => !(error instanceof SignedOut)));
    if (result.done.length > 0) {
      const back = undo && {
        label: "Undo",
        run: () => perform(result.done, { doing: "Undoing", done: "Undone:", run: undo }),
      };
      toast({ text: `${done} ${nameOf(result.done)}.`, ...(back === undefined ? {} : { act: back }) });
    }
    return result.failures.map(({ id }) => id);
  }

  return { perform, progress, failures, forgetFailures: () => setFailures([]) };
}

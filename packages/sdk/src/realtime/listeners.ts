import { invalid } from "../errors.ts";

/** A function that is told of something. As a method's its parameter may be narrower: a page knows what it publishes. */
export type Listener<Value> = { tell(value: Value): void }["tell"];

/** The functions that are told of one kind of thing. */
export interface Listeners<Value> {
  readonly size: number;
  /** Gives what takes the function out again. */
  add(listener: Listener<Value>): () => void;
  /** One that throws keeps it from nobody: what it threw is reported. */
  tell(value: Value): void;
  clear(): void;
}

/** No listeners yet. */
export function createListeners<Value>(): Listeners<Value> {
  const all = new Set<{ listener: Listener<Value> }>();

  return {
    get size() {
      return all.size;
    },

    add(listener) {
      if (typeof listener !== "function") throw invalid("A handler is a function.");
      const entry = { listener };
      all.add(entry);
      return () => void all.delete(entry);
    },

    tell(value) {
      for (const entry of [...all]) {
        try {
          if (all.has(entry)) entry.listener(value);
        } catch (error) {
          report(error);
        }
      }
    },

    clear: () => all.clear(),
  };
}

/** An error that no handler takes, to `window.onerror` and the console. */
export function report(error: unknown): void {
  const page = globalThis as { reportError?: (error: unknown) => void };
  if (page.reportError) page.reportError(error);
  else
    queueMicrotask(() => {
      throw error;
    });
}

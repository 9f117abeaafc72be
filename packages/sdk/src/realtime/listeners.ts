import { invalid } from "../errors.ts";

/** A listener function. Declared as a method so that TypeScript accepts a narrower parameter type. */
export type Listener<Value> = { listen(value: Value): void }["listen"];

/** The listeners of one event. */
export interface Listeners<Value> {
  readonly size: number;
  /** Adds a listener. Returns a function that removes it. */
  add(listener: Listener<Value>): () => void;
  /** Calls every listener. If one throws, the error is reported, and the others are called nevertheless. */
  emit(value: Value): void;
  clear(): void;
}

/** Creates an empty set of listeners. */
export function createListeners<Value>(): Listeners<Value> {
  const all = new Set<{ listener: Listener<Value> }>();

  return {
    get size() {
      return all.size;
    },

    add(listener) {
      requireFunction(listener);
      const entry = { listener };
      all.add(entry);
      return () => void all.delete(entry);
    },

    emit(value) {
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

/** Throws `INVALID_BODY` if a value is not a function. */
export function requireFunction(listener: unknown): void {
  if (typeof listener !== "function") throw invalid("A handler must be a function.");
}

/** Reports an error for which there is no handler, in the same way as an uncaught error: to `window.onerror` and the console. */
export function report(error: unknown): void {
  const page = globalThis as { reportError?: (error: unknown) => void };
  if (page.reportError) page.reportError(error);
  else
    queueMicrotask(() => {
      throw error;
    });
}

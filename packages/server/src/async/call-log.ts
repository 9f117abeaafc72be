import type { LoggedCall } from "@easel/protocol/management";

/** Is called with each refused or failed call, and with the id and the slug of its canvas. */
export type CallListener = (call: LoggedCall, canvas: { id: string; slug: string }) => void;

/** Collects the refused and failed calls to the runtime API of all canvases of this node. */
export class CallLog {
  readonly #listeners = new Set<CallListener>();

  add(canvas: { id: string; slug: string }, call: LoggedCall): void {
    for (const listener of this.#listeners) listener(call, canvas);
  }

  /** Calls `listener` with each call that is added from now on. Returns a function that ends this. A listener must not throw. */
  subscribe(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

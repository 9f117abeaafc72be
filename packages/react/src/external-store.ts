import { createUsers } from "./user-count.ts";

/** A state that components read with `useSyncExternalStore`. */
export interface Store<State> {
  /** The state before anything is read, which a server renders. */
  readonly initial: State;
  getState(): State;
  /** Calls `listener` after each change. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}

/** A store with its setter, and whether it has subscribers. */
export interface WritableStore<State> extends Store<State> {
  setState(state: State): void;
  isUsed(): boolean;
}

/** Creates a store. `start` is called for the first subscriber, and the function that it returns after the last one has gone. */
export function createStore<State>(initial: State, start: () => () => void): WritableStore<State> {
  const listeners = new Set<{ call: () => void }>();
  const use = createUsers(start);
  let state = initial;

  return {
    initial,
    getState: () => state,
    isUsed: () => listeners.size > 0,

    setState(next) {
      if (Object.is(next, state)) return;
      state = next;
      for (const { call } of [...listeners]) call();
    },

    subscribe(listener) {
      const entry = { call: listener };
      listeners.add(entry);
      const leave = use();
      return () => {
        listeners.delete(entry);
        leave();
      };
    },
  };
}

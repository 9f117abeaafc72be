import { createUsers } from "./user-count.ts";

/** A state that components read with `useSyncExternalStore`. */
export interface Store<State> {
  /** The state before anything is read. React uses it when it renders on a server. */
  readonly initial: State;
  getState(): State;
  /** Calls `listener` after each change of the state. Returns a function that removes the listener. */
  subscribe(listener: () => void): () => void;
}

/** A store whose state can be set. `isUsed` returns whether the store has a subscriber. */
export interface WritableStore<State> extends Store<State> {
  setState(state: State): void;
  isUsed(): boolean;
}

/**
 * Creates a store. Calls `start` when the first subscriber comes. Calls the function that `start` returned after the last subscriber has
 * gone.
 */
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

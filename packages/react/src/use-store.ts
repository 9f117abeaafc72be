import type { Store } from "@easel/sdk/live";
import { useSyncExternalStore } from "react";

/** Returns the state of a store, and renders the component again when it changes. */
export const useStore = <State>({ subscribe, getState, initial }: Store<State>): State =>
  useSyncExternalStore(subscribe, getState, () => initial);

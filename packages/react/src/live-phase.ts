import type { Collection, Phase, RecordChange } from "@easel/sdk";
import { createLive, type LiveState, type Store } from "@easel/sdk/live";

/** The functions of a collection that `createLivePhase` calls. */
export type PhasedCollection = Pick<Collection, "phase" | "setPhase" | "watch">;

/** A store with the phase of a collection. The data is undefined until it is read. */
export interface LivePhase extends Store<LiveState<Phase | undefined>> {
  isUsed(): boolean;
  refetch(): void;
  setPhase(phase: string | null): Promise<void>;
}

/** Creates a store with the phase of a collection. A switch asks watches to read everything again, and the store to read the phase. */
export function createLivePhase(collection: PhasedCollection): LivePhase {
  const live = createLive<Phase | undefined, RecordChange>({
    empty: undefined,
    watch: (onChange, onError) =>
      collection.watch((change) => {
        if (change.op === "resync") onChange(change);
      }, onError),
    read: () => collection.phase(),
    share: (previous, next) => (JSON.stringify(previous) === JSON.stringify(next) ? previous : next),
  });
  return {
    ...live,
    setPhase: async (phase) => {
      await live.write({
        apply: (data) => data && { ...data, phase },
        send: () => collection.setPhase(phase),
        confirm: (result) => () => result,
        touched: () => [{ op: "resync" }],
      });
    },
  };
}

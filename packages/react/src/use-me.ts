import type { EaselError, Identity } from "@easel/sdk";
import { useStores } from "./easel-provider.ts";
import { useStore } from "./use-store.ts";

/** The result of `useMe`. `data` is undefined until it is read. */
export interface MeResult {
  data: Identity | undefined;
  error: EaselError | undefined;
  isLoading: boolean;
  /** Reads the identity of the viewer again. */
  refetch(): void;
}

/** Returns the viewer: `{ id, name, canvasRole, permissions, … }`. @example const { data: viewer } = useMe(); */
export function useMe(): MeResult {
  const store = useStores().me();
  return { ...useStore(store), refetch: store.refetch };
}

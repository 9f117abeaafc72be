import type { EaselError } from "@easel/sdk";
import { useStores } from "./easel-provider.ts";
import { useStore } from "./use-store.ts";

/** The result of `usePhase`. */
export interface PhaseResult {
  /** The current phase. Null if the collection is in none, undefined until it is read. */
  phase: string | null | undefined;
  /** The names of the phases that the policy has. */
  phases: string[];
  /** The error of the last switch. If that has none: the error of the last read or of the watch, or undefined. */
  error: EaselError | undefined;
  isLoading: boolean;
  /** Switches the phase, as the owner or an editor. Null ends it. */
  setPhase(phase: string | null): Promise<void>;
  /** Reads the phase again. */
  refetch(): void;
}

const NONE: string[] = [];

/**
 * Returns the phase of a collection and a function that switches it. The component renders again when the phase changes.
 * @example const { phase, setPhase } = usePhase("cards");
 */
export function usePhase(name: string): PhaseResult {
  const store = useStores().phase(name);
  const { data, error, isLoading } = useStore(store);
  return {
    phase: data?.phase,
    phases: data?.phases ?? NONE,
    error,
    isLoading,
    setPhase: store.setPhase,
    refetch: store.refetch,
  };
}

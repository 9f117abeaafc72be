import type { EaselError, Member, NameOf } from "@easel/sdk";
import { useEffect } from "react";
import { useStores } from "./easel-provider.ts";
import { useStore } from "./use-store.ts";

/** The result of `usePresence`. `data` is empty until the service has sent the people on the channel. */
export interface PresenceResult {
  data: Member[];
  error: EaselError | undefined;
  isLoading: boolean;
}

const NOBODY: Member[] = [];

/**
 * Subscribes to a channel and returns the people on it, live, each person once and the viewer included.
 * @example const { data: people } = usePresence("pens");
 */
export function usePresence(name: NameOf<"channels">): PresenceResult {
  const channel = useStores().channel(name);
  const { members, error } = useStore(channel);
  useEffect(() => channel.join(() => {}), [channel]);
  return { data: members ?? NOBODY, error, isLoading: members === undefined && error === undefined };
}

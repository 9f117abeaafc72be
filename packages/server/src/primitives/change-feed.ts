import type { Env } from "../env.ts";

/**
 * A committed write to something that pages can watch. `of` is whose it is: only they hear of it where nobody else may read
 * it; null where the records of many are concerned.
 */
export type Change =
  | { resource: "kv"; key: string; op: "set" | "delete" }
  | { resource: "kv.user"; key: string; op: "set" | "delete"; of: string }
  | { resource: "collection"; name: string; id: string; op: "set" | "delete"; of: string }
  | { resource: "collection"; name: string; op: "clear"; of: string | null };

/** The topic of the bus that the changes of a canvas are told on, each as JSON. */
export const changesOf = (canvas: string): string => `changes ${canvas}`;

/** Tells whoever watches. No write waits for it, and none fails by it. */
export function announce(canvas: string, change: Change, { bus, log }: Env): void {
  bus
    .publish(changesOf(canvas), JSON.stringify(change))
    .catch((error) => log.warn({ err: error }, "a change could not be told"));
}

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

/** Publishes a change to the connections that watch the canvas, if there are any. No write waits for it or fails with it. */
export function announce(canvas: string, change: Change, { bus, log }: Env): void {
  const topic = changesOf(canvas);
  if (!bus.hasListeners(topic)) return;
  bus
    .publish(topic, JSON.stringify(change))
    .catch((error) => log.warn({ err: error }, "a change could not be published"));
}

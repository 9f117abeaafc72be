import type { Env } from "../env.ts";
import type { Scope } from "./files/scope.ts";

/**
 * A committed write to a resource that pages can watch. `of` is the id of the user that it belongs to, who alone is notified where
 * nobody else may read it; null where it concerns records of several users.
 */
export type Change =
  | { resource: "kv"; key: string; op: "set" | "delete" }
  | { resource: "kv.user"; key: string; op: "set" | "delete"; of: string }
  | { resource: "collection"; name: string; id: string; op: "set" | "delete"; of: string }
  | { resource: "collection"; name: string; op: "clear"; of: string | null }
  | { resource: "files"; scope: Scope; id: string; op: "set" | "delete"; of: string }
  | { resource: "files"; scope: Scope; op: "clear"; of: string | null };

/** The bus topic of a canvas's changes, which are published as JSON. */
export const changesTopic = (canvas: string): string => `changes ${canvas}`;

/** Publishes a change to the connections that watch the canvas, if there are any. No write waits for it or fails with it. */
export function announceChange(canvas: string, change: Change, { bus, log }: Env): void {
  const topic = changesTopic(canvas);
  if (!bus.hasListeners(topic)) return;
  bus
    .publish(topic, JSON.stringify(change))
    .catch((error) => log.warn({ err: error }, "a change could not be published"));
}

import type { Env } from "../env.ts";
import type { Scope } from "./files/scope.ts";

/**
 * A committed write to a resource that pages can watch. `of` is the id of the user to whom the changed data belongs, or null if data of
 * several users was cleared. A user who may read only their own data is notified only if `of` is their id or null.
 */
export type Change =
  | { resource: "kv"; key: string; op: "set" | "delete" }
  | { resource: "kv.user"; key: string; op: "set" | "delete"; of: string }
  | { resource: "collection"; name: string; id: string; op: "set" | "delete"; of: string }
  | { resource: "collection"; name: string; op: "clear"; of: string | null }
  | { resource: "files"; scope: Scope; id: string; op: "set" | "delete"; of: string }
  | { resource: "files"; scope: Scope; op: "clear"; of: string | null };

/** Returns the bus topic on which the changes of a canvas are published as JSON. */
export const changesTopic = (canvas: string): string => `changes ${canvas}`;

/**
 * Publishes a change if any connection watches the canvas. The write that caused the change does not wait for the publication, and succeeds
 * even if publishing fails.
 */
export function announceChange(canvas: string, change: Change, { bus, log }: Env): void {
  const topic = changesTopic(canvas);
  if (!bus.hasListeners(topic)) return;
  bus
    .publish(topic, JSON.stringify(change))
    .catch((error) => log.warn({ err: error }, "a change could not be published"));
}

import { LIMITS } from "@easel/protocol/limits";
import { Unavailable } from "../drivers/unavailable.ts";
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

/** Separates a change from the JSON text of its content in a message on the bus. `JSON.stringify` never writes one. */
const SEPARATOR = "\n";

/**
 * Publishes a change if any connection watches the canvas. `content` is the JSON text of the new value of a key, or of the new record. It
 * is published with the change if it has at most `LIMITS.changeBytes` bytes, and is never parsed (decision 060). The write that caused the
 * change does not wait for the publication, and succeeds even if publishing fails.
 */
export function announceChange(canvas: string, change: Change, { bus, log }: Env, content = ""): void {
  const topic = changesTopic(canvas);
  if (!bus.hasListeners(topic)) return;
  const published = Buffer.byteLength(content) > LIMITS.changeBytes.value ? "" : content;
  bus
    .publish(topic, JSON.stringify(change) + SEPARATOR + published)
    // A bus that is away says so once, and tells the watches of the topic afterwards that they have missed a change.
    .catch((err) => err instanceof Unavailable || log.warn({ err }, "a change could not be published"));
}

/** Reads a message on the topic of `changesTopic`. `content` is empty if the change was published without it. */
export function readChange(message: string): { change: Change; content: string } {
  const end = message.indexOf(SEPARATOR);
  return { change: JSON.parse(message.slice(0, end)), content: message.slice(end + SEPARATOR.length) };
}

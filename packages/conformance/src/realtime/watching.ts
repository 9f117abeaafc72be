import type { Json } from "@easel/protocol/types";
import type { Entry } from "../collections/entry.ts";
import { same } from "../same.ts";
import type { Frame, Socket } from "./socket.ts";

/** The target of a watch: keys with a prefix, the records of a collection, or files. */
export type Watched =
  | { resource: "kv" | "kv.user"; prefix: string }
  | { resource: "collection"; name: string }
  | { resource: "files" };

/** What happened to the file in a change frame. */
export type Op = "set" | "delete";

/** Returns a target of a watch: the keys with a prefix. */
export const keys = (resource: "kv" | "kv.user", prefix = ""): Watched => ({ resource, prefix });
/** Returns a target of a watch: the records of a collection. */
export const records = (name: string): Watched => ({ resource: "collection", name });

/** A target of a watch: the files of a canvas. */
export const FILES = { resource: "files" } as const satisfies Watched;

export const watching = (watched: Watched): Frame => ({ type: "watching", ...watched });
export const resync = (watched: Watched): Frame => ({ type: "resync", ...watched });

/** Returns the change frame for a key that was set to a value, which is small enough to be in the frame; or deleted, without a value. */
export const keyChange = (resource: "kv" | "kv.user", key: string, value?: Json): Frame => ({
  type: "change",
  resource,
  key,
  ...(value === undefined ? { op: "delete" } : { op: "set", value }),
});

/** Returns the change frame for a record that was created or updated. */
export const recordChange = (name: string, { id, authorId, value, updatedAt }: Entry): Frame => ({
  type: "change",
  resource: "collection",
  name,
  id,
  op: "set",
  record: { id, authorId, value, updatedAt },
});

/** Returns the change frame for a record that was deleted. */
export const recordDeletion = (name: string, id: string): Frame => ({
  type: "change",
  resource: "collection",
  name,
  id,
  op: "delete",
});

/** Returns the change frame for a file that was uploaded, renamed or deleted. */
export const fileChange = (scope: string, id: string, op: Op = "set"): Frame => ({
  type: "change",
  ...FILES,
  scope,
  id,
  op,
});

/** Watches a target on a connection, and asserts that the service confirms it. */
export async function watch(socket: Socket, watched: Watched): Promise<void> {
  socket.send({ type: "watch", ...watched });
  same(await socket.next(), watching(watched));
}

import { refuseAt } from "../../canvases/owner-quotas.ts";
import { refuse } from "../../http/refusal.ts";
import type { Room } from "./store.ts";

/** Throws 409 `QUOTA_EXCEEDED`. */
export const full = (): never =>
  refuse("QUOTA_EXCEEDED", { message: "The files of this canvas have used up its quota of bytes." }, 409);

/**
 * Throws 413 `FILE_TOO_LARGE` for a file of this size in bytes if no file may be that large, and 409 `QUOTA_EXCEEDED` if the quota of the
 * canvas or of its owner has no room for it.
 */
export function requireRoom(size: number, room: Room): void {
  if (size > room.file) refuse("FILE_TOO_LARGE", { message: `The file is larger than ${room.file} bytes.` });
  if (size > room.canvas) full();
  if (size > room.owner) ownerFull(room);
}

/** Throws 409 `QUOTA_EXCEEDED` with the quota of the canvas's owner. */
export const ownerFull = ({ ownerQuota }: Room): never => refuseAt("files.bytes.person", ownerQuota);

/** Streams the bytes of a file. Throws 413 `FILE_TOO_LARGE` or 409 `QUOTA_EXCEEDED` as soon as they exceed a limit. */
export async function* within(room: Room, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    requireRoom(size, room);
    yield chunk;
  }
}

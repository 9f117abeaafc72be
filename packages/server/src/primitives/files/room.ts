import { refuse } from "../../http/refusal.ts";
import type { Room } from "./store.ts";

/** Throws 413 `FILE_TOO_LARGE`. `limit` is the maximum size of a file in bytes. */
export const tooLarge = (limit: number): never =>
  refuse("FILE_TOO_LARGE", { message: `The file is larger than ${limit} bytes.` });

/** Throws 409 `QUOTA_EXCEEDED`. */
export const full = (): never =>
  refuse("QUOTA_EXCEEDED", { message: "The files of this canvas have used up its quota of bytes." }, 409);

/** Streams the bytes of a file. Throws 413 `FILE_TOO_LARGE` or 409 `QUOTA_EXCEEDED` as soon as they exceed a limit. */
export async function* within(room: Room, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > room.file) tooLarge(room.file);
    if (size > room.canvas) full();
    yield chunk;
  }
}

import type { ByteSource } from "../../src/operations/operation-body.ts";

/**
 * Returns the body of a caller in the same process. If `late` is given, the bytes have not arrived at first: they arrive when it has
 * finished, which begins when they are read.
 */
export function bytesOf(bytes: Buffer, type: string, late?: () => Promise<unknown>): ByteSource {
  return {
    type,
    size: bytes.length,
    complete: late === undefined,
    absent: false,
    async read(limit, tooLarge) {
      await late?.();
      return bytes.length > limit ? tooLarge() : bytes;
    },
    async *stream() {
      await late?.();
      yield bytes;
    },
  };
}

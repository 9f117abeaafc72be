import type { ByteSource } from "./operation-body.ts";

/** Returns the body of a caller in the same process that has all its bytes. */
export const bodyOfBytes = (bytes: Buffer, type: string): ByteSource => ({
  type,
  size: bytes.length,
  complete: true,
  absent: false,
  read: async (limit, tooLarge) => (bytes.length > limit ? tooLarge() : bytes),
  async *stream() {
    yield bytes;
  },
});

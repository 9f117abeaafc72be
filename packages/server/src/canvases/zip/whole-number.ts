import { malformed } from "./malformed.ts";

/**
 * Reads an unsigned 64-bit number at the position `at`. Throws 400 `INVALID_BODY` if it is not a safe integer, because no size or offset in
 * an accepted zip is that large.
 */
export function wholeNumber(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  return Number.isSafeInteger(value) ? value : malformed("a size or an offset in it is too large");
}

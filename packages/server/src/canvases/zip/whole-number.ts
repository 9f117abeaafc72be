import { malformed } from "./malformed.ts";

/** Reads a number of 64 bits. Throws 400 `INVALID_BODY` for one that no zip on this service can have. */
export function wholeNumber(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  return Number.isSafeInteger(value) ? value : malformed("a size or an offset in it is too large");
}

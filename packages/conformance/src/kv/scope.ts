import { randomBytes } from "node:crypto";

/** The scopes of the store, with the paths below which they have the same routes. */
export const SCOPES = [
  { scope: "shared", root: "/kv" },
  { scope: "user", root: "/kv/user" },
] as const;

/** Scopes that a suite runs on. */
export type Scopes = readonly (typeof SCOPES)[number][];

/** Encodes a key as one path segment. Dots alone are encoded, too, because URL parsers resolve `.` and `..`. */
export function segment(key: string): string {
  return encodeURIComponent(key).replace(/^\.{1,2}$/, (dots) => "%2e".repeat(dots.length));
}

/** Returns an unused key. */
export function freshKey(label = "key"): string {
  return `${label}-${randomBytes(8).toString("hex")}`;
}

/** Compares keys by their bytes in UTF-8. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

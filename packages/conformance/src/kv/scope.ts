import { randomBytes } from "node:crypto";

/** The two scopes of the key-value store. Each has the same routes below its path `root`. */
export const SCOPES = [
  { scope: "shared", root: "/kv" },
  { scope: "user", root: "/kv/user" },
] as const;

/** The scopes that a suite tests. */
export type Scopes = readonly (typeof SCOPES)[number][];

/** Encodes a key as one path segment. Encodes the keys `.` and `..`, too, because URL parsers resolve them. */
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

import { randomBytes } from "node:crypto";

/** Both scopes of the store have the same routes under these paths. */
export const SCOPES = [
  { scope: "shared", root: "/kv" },
  { scope: "user", root: "/kv/user" },
] as const;

/** Scopes that a suite runs on. */
export type Scopes = readonly (typeof SCOPES)[number][];

/** A key as one path segment; dots are encoded, so that nothing on the way takes them for steps. */
export function segment(key: string): string {
  return encodeURIComponent(key).replace(/^\.{1,2}$/, (dots) => "%2e".repeat(dots.length));
}

/** A key nobody has used before. */
export function freshKey(label = "key"): string {
  return `${label}-${randomBytes(8).toString("hex")}`;
}

/** The order of keys: that of their bytes in UTF-8. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

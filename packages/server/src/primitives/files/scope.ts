import { isResourceName, type RecordPolicy, type RuntimePolicy } from "@easel/protocol/policy";
import type { CanvasRole, Rights } from "@easel/protocol/types";
import { rightsOf } from "../../access/rights.ts";
import { entryOf } from "../../canvases/policy.ts";

/**
 * The scope of a file, which determines the rights on it: `shared`, `submission`, `group:{name}` for a file group, or `record:{collection}`
 * for attachments of records.
 */
export type Scope = "shared" | "submission" | `group:${string}` | `record:${string}`;

/** The policies of the scopes `shared` and `submission`. A policy document cannot change them (specification 4.4). */
const FIXED = {
  shared: { preset: "managed" },
  submission: { preset: "submissions" },
} as const satisfies Record<string, RecordPolicy>;

/** Whether a text is `shared` or `submission`, the two scopes with a fixed policy. */
export const isFixed = (scope: string): scope is keyof typeof FIXED => Object.hasOwn(FIXED, scope);

/** Returns the name of the collection that the attachments of a scope belong to, or undefined for any other scope. */
export const collectionOf = (scope: Scope): string | undefined => nameAfter("record:", scope);

/** Whether the files of a scope need the capability `kv` besides `files`. Attachments need it, because records do. */
export const needsKv = (scope: Scope): boolean => collectionOf(scope) !== undefined;

/** Returns the name of the file group of a scope, or undefined for any other scope. */
export const groupOf = (scope: Scope): string | undefined => nameAfter("group:", scope);

const nameAfter = (prefix: string, scope: string) =>
  scope.startsWith(prefix) ? scope.slice(prefix.length) : undefined;

/** Parses a scope. Returns null if the text is not a scope. */
export function parseScope(text: string): Scope | null {
  const name = nameAfter("group:", text) ?? nameAfter("record:", text);
  return isFixed(text) || (name !== undefined && isResourceName(name)) ? (text as Scope) : null;
}

/**
 * Returns the scopes `shared` and `submission` and every scope that a policy document configures, in the order in which lists contain them.
 */
export const scopesOf = ({ fileGroups = {}, collections = {} }: RuntimePolicy): Scope[] =>
  [
    ...(Object.keys(FIXED) as (keyof typeof FIXED)[]),
    ...Object.keys(fileGroups).map((name): Scope => `group:${name}`),
    ...Object.keys(collections).map((name): Scope => `record:${name}`),
  ].sort();

function policyFor(scope: Scope, policy: RuntimePolicy): RecordPolicy | undefined {
  if (isFixed(scope)) return FIXED[scope];
  const collection = collectionOf(scope);
  return collection === undefined
    ? entryOf(policy.fileGroups, groupOf(scope) ?? "")
    : entryOf(policy.collections, collection);
}

/**
 * Returns the rights of a role on the files of a scope, or undefined if the group or collection has no policy. Attachments have the rights
 * of their records, so `own` means that the caller is the author of the record.
 */
export function scopeRights(scope: Scope, policy: RuntimePolicy, role: CanvasRole): Rights | undefined {
  const found = policyFor(scope, policy);
  return found === undefined ? undefined : rightsOf(found, role);
}

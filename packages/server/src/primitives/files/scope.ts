import { isResourceName, type RecordPolicy, type RuntimePolicy } from "@easel/protocol/policy";
import type { CanvasRole, Rights } from "@easel/protocol/types";
import { rightsOf } from "../../access/rights.ts";
import { entryOf } from "../../canvases/policy.ts";

/**
 * The scope of a file, which decides who may do what with it: `shared` and `submission`, the file group `group:{name}`, or
 * `record:{collection}` for attachments of records.
 */
export type Scope = "shared" | "submission" | `group:${string}` | `record:${string}`;

/** The policies of the two scopes that no policy document configures (specification 4.4). */
const FIXED = {
  shared: { preset: "managed" },
  submission: { preset: "submissions" },
} as const satisfies Record<string, RecordPolicy>;

/** Whether a scope is fixed: it needs no policy. */
export const isFixed = (scope: string): scope is keyof typeof FIXED => Object.hasOwn(FIXED, scope);

/** Returns the name of the collection that the attachments of a scope belong to; undefined for any other scope. */
export const collectionOf = (scope: Scope): string | undefined => nameAfter("record:", scope);

/** Whether the files of a scope need KV besides files: attachments do, because records do. */
export const needsKv = (scope: Scope): boolean => collectionOf(scope) !== undefined;

/** Returns the name of the file group of a scope; undefined for any other scope. */
export const groupOf = (scope: Scope): string | undefined => nameAfter("group:", scope);

const nameAfter = (prefix: string, scope: string) =>
  scope.startsWith(prefix) ? scope.slice(prefix.length) : undefined;

/** Parses a scope; null for a text that is none. */
export function parseScope(text: string): Scope | null {
  const name = nameAfter("group:", text) ?? nameAfter("record:", text);
  return isFixed(text) || (name !== undefined && isResourceName(name)) ? (text as Scope) : null;
}

/** Returns every scope that a policy document configures, and the fixed ones, in the order of lists. */
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
 * Returns the rights of a role on the files of a scope; undefined where the group or collection has no policy. Attachments have the
 * rights of the record that they belong to, so their `own` is that of its author.
 */
export function scopeRights(scope: Scope, policy: RuntimePolicy, role: CanvasRole): Rights | undefined {
  const found = policyFor(scope, policy);
  return found === undefined ? undefined : rightsOf(found, role);
}

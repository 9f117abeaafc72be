import {
  OPERATIONS,
  type Operation,
  type PolicyAudience,
  type PolicyRight,
  PRESETS,
  type RecordPolicy,
  RIGHTS,
} from "@easel/protocol/policy";
import type { CanvasRole, Right, Rights } from "@easel/protocol/types";
import { manages } from "./roles.ts";

/** Returns the right that a policy sets for an operation: its override, otherwise that of the preset, where increment equals update. */
function grantedBy({ preset, overrides = {} }: RecordPolicy, operation: Operation): PolicyRight {
  return overrides[operation] ?? PRESETS[preset][operation === "increment" ? "update" : operation];
}

/** Resolves a right for a role: access to own records, and to any. */
function resolveRight(right: PolicyRight, role: CanvasRole): Right {
  const { author, managers, everyone } = RIGHTS[right];
  const any = everyone || (managers && manages(role));
  return { own: author || any, any };
}

const intersect = (one: Right, other: Right): Right => ({
  own: one.own && other.own,
  any: one.any && other.any,
});

/**
 * Returns the rights of a role on the records of a collection or the files of a group (specification 2). Changing or deleting a record
 * requires the right to read it too.
 */
export function rightsOf(policy: RecordPolicy, role: CanvasRole): Rights {
  const read = resolveRight(grantedBy(policy, "read"), role);
  const entries = OPERATIONS.map((operation) => {
    const right = resolveRight(grantedBy(policy, operation), role);
    return [operation, operation === "read" || operation === "create" ? right : intersect(right, read)];
  });
  return Object.fromEntries(entries);
}

/** Whether a right applies to a record, given whether the caller is its author. */
export const allows = (right: Right, isAuthor: boolean): boolean => right.any || (right.own && isAuthor);

/** Whether a role belongs to an audience. */
export const audienceIncludes = (audience: PolicyAudience, role: CanvasRole): boolean =>
  resolveRight(audience, role).any;

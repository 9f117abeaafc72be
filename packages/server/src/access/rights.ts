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

/**
 * Returns the right that a policy sets for an operation: the override if there is one, otherwise the right of the preset. Presets treat
 * increment as update.
 */
function grantedBy({ preset, overrides = {} }: RecordPolicy, operation: Operation): PolicyRight {
  return overrides[operation] ?? PRESETS[preset][operation === "increment" ? "update" : operation];
}

/**
 * Resolves a right in a policy, such as `own_and_editors`, for a role. The result says whether the caller may access their own records
 * (`own`) and all records (`any`).
 */
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
 * Returns the rights of a role on the records of a collection or on the files of a file group (specification 2). Changing or deleting a
 * record requires the right to read it, too.
 */
export function rightsOf(policy: RecordPolicy, role: CanvasRole): Rights {
  const read = resolveRight(grantedBy(policy, "read"), role);
  const entries = OPERATIONS.map((operation) => {
    const right = resolveRight(grantedBy(policy, operation), role);
    return [operation, operation === "read" || operation === "create" ? right : intersect(right, read)];
  });
  return Object.fromEntries(entries);
}

/** Whether a right gives access to a record. `isAuthor` is true if the caller created the record. */
export const allows = (right: Right, isAuthor: boolean): boolean => right.any || (right.own && isAuthor);

/** Whether a role belongs to an audience of a policy, such as `editors`. */
export const audienceIncludes = (audience: PolicyAudience, role: CanvasRole): boolean =>
  resolveRight(audience, role).any;

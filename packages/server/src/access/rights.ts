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

/** The right that a policy gives to an operation: the override, or what the preset says; increment begins as update. */
function grantedBy({ preset, overrides = {} }: RecordPolicy, health: Operation): PolicyRight {
  return overrides[health] ?? PRESETS[preset][health === "increment" ? "update" : health];
}

/** What a right opens to a role: its own records, and any. */
function opens(right: PolicyRight, role: CanvasRole): Right {
  const { author, managers, everyone } = RIGHTS[right];
  const any = everyone || (managers && manages(role));
  return { own: author || any, any };
}

const both = (one: Right, other: Right): Right => ({
  own: one.own && other.own,
  any: one.any && other.any,
});

/**
 * What a role may do with the records of a collection or the files of a group (specification 2). What changes or removes a
 * record needs to read it as well.
 */
export function rightsOf(policy: RecordPolicy, role: CanvasRole): Rights {
  const read = opens(grantedBy(policy, "read"), role);
  const entries = OPERATIONS.map((health) => {
    const right = opens(grantedBy(policy, health), role);
    return [health, health === "read" || health === "create" ? right : both(right, read)];
  });
  return Object.fromEntries(entries);
}

/** Whether a right reaches a record, given whether the caller is its author. */
export const may = (right: Right, isAuthor: boolean): boolean => right.any || (right.own && isAuthor);

/** Whether a role belongs to an audience. */
export const isAmong = (audience: PolicyAudience, role: CanvasRole): boolean => opens(audience, role).any;

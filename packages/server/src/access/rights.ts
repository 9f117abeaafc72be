import type { ConnectionGrant, ConnectionLimits } from "@easel/protocol/management";
import {
  type Audience,
  type ChannelPolicy,
  type ConnectionMethod,
  type ConnectionPolicy,
  OPERATIONS,
  type Operation,
  type PolicyAudience,
  type PolicyRight,
  PRESETS,
  type RecordPolicy,
  RIGHTS,
} from "@easel/protocol/policy";
import { DEFAULT_CHANNEL_POLICY, PARTICIPANT_PREFIX } from "@easel/protocol/realtime";
import type { CanvasRole, ChannelRights, ConnectionRights, Right, Rights } from "@easel/protocol/types";
import type { AccessFields } from "./ladder.ts";
import type { Principal } from "./principal.ts";
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

/** Returns the rights of a role on a channel with this policy. */
export const channelRights = (policy: ChannelPolicy, role: CanvasRole): ChannelRights => ({
  subscribe: audienceIncludes(policy.subscribe, role),
  publish: audienceIncludes(policy.publish, role),
  seePresence: audienceIncludes(policy.seePresence, role),
  participatePresence: audienceIncludes(policy.participatePresence, role),
});

/** Returns the policy of a channel that the policy document does not name (specification 5). */
export const unnamedChannel = (name: string): ChannelPolicy =>
  name.startsWith(PARTICIPANT_PREFIX)
    ? { ...DEFAULT_CHANNEL_POLICY, publish: "viewers" }
    : DEFAULT_CHANNEL_POLICY;

/** A caller on a canvas, as far as grants tell callers apart. */
export interface GrantCaller {
  user: Pick<Principal, "kind">;
  role: CanvasRole;
  canvas: Pick<AccessFields, "access">;
}

/** The limits of callers to whom the limits of grants do not apply. */
const NO_LIMITS: ConnectionLimits = {};

/**
 * Returns the limits that a grant sets for a caller, or null if it does not admit the caller. It admits every member without limits.
 * Guests, and visitors of a Public link even if they have signed in, need the permission of an administrator (decision 063).
 */
export function limitsFor(
  grant: ConnectionGrant,
  { user, role, canvas }: GrantCaller,
): ConnectionLimits | null {
  const isVisitor = canvas.access === "public_link";
  if (manages(role) || (user.kind === "member" && !isVisitor)) return NO_LIMITS;
  return (isVisitor ? grant.public : grant.guests) ? grant.limits : null;
}

/**
 * Whether users with the role `role` may use a Connection. `entry` is what the policy document says about the Connection. If it is
 * undefined, `audience` decides: the audience that the canvas sets for all Connections.
 */
export const inAudience = (
  entry: ConnectionPolicy | undefined,
  audience: Audience,
  role: CanvasRole,
): boolean => audienceIncludes(entry?.audience ?? audience, role);

/** Whether the policy of a Connection allows a method. */
export const allowsMethod = (entry: ConnectionPolicy | undefined, method: string): boolean =>
  entry?.methods?.some((each) => each === method) ?? true;

/**
 * Returns the methods that a role may use with a Connection. `approved` are the methods that the administrator allows. It is empty while
 * the Connection cannot be used at all.
 */
export function connectionRights(
  entry: ConnectionPolicy | undefined,
  audience: Audience,
  role: CanvasRole,
  approved: readonly ConnectionMethod[],
): ConnectionRights {
  const methods = inAudience(entry, audience, role)
    ? approved.filter((each) => allowsMethod(entry, each))
    : [];
  return { invoke: methods.length > 0, methods };
}

import type { ConnectionGrant, ConnectionLimits } from "@easel/protocol/management";
import type { Audience, ConnectionMethod, ConnectionPolicy } from "@easel/protocol/policy";
import type { CanvasRole, ConnectionRights } from "@easel/protocol/types";
import type { AccessFields } from "./ladder.ts";
import { isMember, type User } from "./principal.ts";
import { audienceIncludes } from "./rights.ts";
import { manages } from "./roles.ts";

/** A caller on a canvas, as far as grants tell callers apart. */
export interface GrantCaller {
  user: Pick<User, "id" | "guestOf">;
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
  if (manages(role) || (isMember(user) && !isVisitor)) return NO_LIMITS;
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

import type { Audience, ConnectionMethod, ConnectionPolicy } from "@easel/protocol/policy";
import type { CanvasRole, ConnectionRights } from "@easel/protocol/types";
import { audienceIncludes } from "./rights.ts";

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

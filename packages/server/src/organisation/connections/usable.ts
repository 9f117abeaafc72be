import type { ConnectionMethod } from "@easel/protocol/policy";
import { type GrantCaller, limitsFor } from "../../access/connection-rights.ts";
import type { Env } from "../../env.ts";
import { type Granted, listGranted } from "./grants.ts";
import type { Profile } from "./profiles.ts";
import { openHeaders, type ProtectedHeaders } from "./protected-headers.ts";

/** The protected headers of a profile that can be used, or the error code of one that cannot. */
export type Usability = ProtectedHeaders | "CONNECTION_DISABLED" | "CONNECTION_KEY_UNAVAILABLE";

/** Returns the protected headers of a profile if it can be used now, otherwise the code of the error for a call. */
export function usabilityOf(profile: Profile, env: Env): Usability {
  if (!profile.enabled) return "CONNECTION_DISABLED";
  if (profile.sealed === null) return {};
  return openHeaders(profile.sealed, profile, env) ?? "CONNECTION_KEY_UNAVAILABLE";
}

/**
 * Returns the methods of every profile that is granted to a canvas, keyed by profile name, as far as the grant allows them to the caller. A
 * profile that cannot be used now has an empty list.
 */
export async function usableOn(
  canvasId: string,
  caller: GrantCaller,
  env: Env,
): Promise<Record<string, ConnectionMethod[]>> {
  const methodsOf = (granted: Granted) => {
    const limits = limitsFor(granted.grant, caller);
    return limits === null || typeof usabilityOf(granted, env) === "string"
      ? []
      : granted.methods.filter((each) => limits.methods?.includes(each) ?? true);
  };
  return Object.fromEntries((await listGranted(canvasId, env)).map((each) => [each.name, methodsOf(each)]));
}

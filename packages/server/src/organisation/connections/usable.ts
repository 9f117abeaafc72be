import type { ConnectionMethod } from "@easel/protocol/policy";
import type { Env } from "../../env.ts";
import { listGranted } from "./grants.ts";
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
 * Returns the allowed methods of every profile that is granted to a canvas, keyed by profile name. A profile that cannot be used now has
 * an empty list.
 */
export async function usableOn(canvasId: string, env: Env): Promise<Record<string, ConnectionMethod[]>> {
  const granted = await listGranted(canvasId, env);
  return Object.fromEntries(
    granted.map((each) => [each.name, typeof usabilityOf(each, env) === "string" ? [] : each.methods]),
  );
}

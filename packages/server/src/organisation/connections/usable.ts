import type { ConnectionMethod } from "@easel/protocol/policy";
import type { Env } from "../../env.ts";
import { listGranted } from "./grants.ts";
import type { Profile } from "./profiles.ts";
import { openHeaders, type ProtectedHeaders } from "./protected-headers.ts";

/** What a profile can be used with: its protected headers, or the code of the error why it cannot be used. */
export type Usability = ProtectedHeaders | "CONNECTION_DISABLED" | "CONNECTION_KEY_UNAVAILABLE";

/** Returns the protected headers of a profile, or why it cannot be used at present. */
export function usabilityOf(profile: Profile, env: Env): Usability {
  if (!profile.enabled) return "CONNECTION_DISABLED";
  if (profile.sealed === null) return {};
  return openHeaders(profile.sealed, profile, env) ?? "CONNECTION_KEY_UNAVAILABLE";
}

/** Returns the methods of every profile that is granted to a canvas, by name. There are none if the profile cannot be used at present. */
export async function usableOn(canvasId: string, env: Env): Promise<Record<string, ConnectionMethod[]>> {
  const granted = await listGranted(canvasId, env);
  return Object.fromEntries(
    granted.map((each) => [each.name, typeof usabilityOf(each, env) === "string" ? [] : each.methods]),
  );
}

import type { Base } from "../config/addresses.ts";
import { refuseOAuth } from "./program-endpoint.ts";

/** Where the description of the resource is found (RFC 9728, section 3.1): beside its path, and for programs that do not add the path. */
export const RESOURCE_PATHS = [
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-protected-resource",
] as const;

/** Returns the address of the only resource for which programs other than the command line get access: the tools. */
export const resourceOf = ({ origin }: Pick<Base, "origin">): string => `${origin}/mcp`;

/** The scope that a program is told to ask for at first. */
export const FIRST_SCOPE = "deploy";

/**
 * Returns the value of `WWW-Authenticate` by which a program finds where to sign in, and which scope to ask for (RFC 9728, section 5.1; RFC
 * 6750, section 3).
 */
export function toolChallenge(
  { error, scope }: { error: "invalid_token" | "insufficient_scope" | null; scope: string },
  { origin }: Pick<Base, "origin">,
): string {
  const failed = error === null ? "" : `error="${error}", `;
  return `Bearer ${failed}resource_metadata="${origin}${RESOURCE_PATHS[0]}", scope="${scope}"`;
}

/** Throws the error `invalid_target` unless all of the resources that a request names are the tools (RFC 8707, section 2). */
export function requireResource(named: readonly string[], base: Pick<Base, "origin">): void {
  const resource = resourceOf(base);
  if (!named.every((each) => URL.parse(each)?.href.replace(/\/$/, "") === resource))
    refuseOAuth("invalid_target", `The only resource is ${resource}.`);
}

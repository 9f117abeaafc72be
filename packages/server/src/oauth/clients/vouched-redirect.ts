import { hasReverseDomain, redirectKind } from "../../access/redirect-uri.ts";
import type { Env } from "../../env.ts";
import { isKnownApplication, KNOWN_CALLBACKS } from "./known.ts";

/**
 * Whether a redirect URI leads to a program that somebody else than a stranger vouches for, or only to the computer of the person:
 *
 * - a loopback address,
 * - an application: by a scheme that is a domain written backwards, by the table of known applications, or named by the operator,
 * - a web address of a known client, or at a host that the operator has named.
 *
 * With another scheme, a link to this service could open any application of the person with what a stranger has written (decision 141).
 */
export function isVouched(uri: string, { config }: Pick<Env, "config">): boolean {
  const { applications, hosts } = config.oauthClients;
  switch (redirectKind(uri)) {
    case "loopback":
      return true;
    case "private":
      return hasReverseDomain(uri) || isKnownApplication(uri) || applications.includes(uri);
    case "https":
      return KNOWN_CALLBACKS.includes(uri) || hosts.includes(new URL(uri).host);
    case null:
      return false;
  }
}

import { redirectKind } from "../../access/redirect-uri.ts";
import type { Env } from "../../env.ts";
import { KNOWN_CALLBACKS } from "./known.ts";
import type { Client } from "./oauth-client.ts";

/**
 * Whether an error may be reported to a redirect URI before a person has answered a question. At a web server that only a stranger vouches for
 * it may not: everybody could make links to this service that lead to a page of theirs (RFC 9700, section 4.11.2).
 */
export const mayRedirectUnasked = (
  { kind }: Pick<Client, "kind">,
  redirectUri: string,
  { config }: Pick<Env, "config">,
): boolean =>
  kind === "configured" ||
  redirectKind(redirectUri) !== "https" ||
  KNOWN_CALLBACKS.includes(redirectUri) ||
  config.oauthClients.hosts.includes(new URL(redirectUri).host);

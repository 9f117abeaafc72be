import { hasRedirect, leadsToService, redirectKind } from "../../access/redirect-uri.ts";
import type { Env } from "../../env.ts";
import { isVouched } from "./vouched-redirect.ts";

/**
 * How the service knows a client: "builtin" is the command line; "document" has published a document at its id; "known" is in the table of
 * known clients, because its document could not be fetched; "configured" is in SERVICE_OAUTH_CLIENTS; "registered" has described itself.
 */
export type ClientKind = "builtin" | "document" | "known" | "configured" | "registered";

/** A program that can ask a person for access (RFC 6749, section 2). All clients are public: none has a secret. */
export interface Client {
  /** The `client_id`. */
  readonly id: string;
  readonly kind: ClientKind;
  /** The name for people. The client chooses it: it is hostile text without control characters, of at most 60 characters. */
  readonly name: string;
  /** The host, with its port unless that is 443, of the document that describes the client; null if there is none. */
  readonly host: string | null;
  /** Whether somebody else than the client itself says who it is: the owner of a host, or the operator. False for "registered". */
  readonly verified: boolean;
  /** The redirect URIs that it has. Empty for the command line, which has a rule. */
  readonly redirectUris: readonly string[];
  /** Whether a redirect URI of a request is one of the client, and does not lead to the service itself. */
  matches(redirectUri: string): boolean;
}

type Described = Pick<Client, "id" | "kind" | "name" | "host" | "redirectUris">;

/**
 * Creates a client. Redirect URIs that no client may have are left out, and those of applications for which nobody vouches; the operator vouches
 * for a client that they have configured.
 */
export function newClient(
  { redirectUris, ...described }: Described,
  env: Pick<Env, "base" | "config">,
): Client {
  const { base } = env;
  const mayHave = (uri: string) => {
    const kind = redirectKind(uri);
    if (kind === null || leadsToService(uri, base)) return false;
    return kind !== "private" || described.kind === "configured" || isVouched(uri, env);
  };
  const allowed = redirectUris.filter(mayHave);
  return {
    ...described,
    verified: described.kind !== "registered",
    redirectUris: allowed,
    matches: (uri) => hasRedirect(allowed, uri) && !leadsToService(uri, base),
  };
}

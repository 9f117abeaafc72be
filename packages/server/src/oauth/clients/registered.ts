import { leadsToService, redirectKind } from "../../access/redirect-uri.ts";
import type { Env } from "../../env.ts";
import { refuseOAuth } from "../program-endpoint.ts";
import { type Client, newClient } from "./oauth-client.ts";
import { isVouched } from "./vouched-redirect.ts";

/** The maximum length of the id of a registered client in characters. Requests of authorization have it in their URL. */
const MAX_ID_LENGTH = 600;
const PURPOSE = "oauth.client";

/** What a registered client has said of itself. */
export interface Registration {
  name: string;
  redirectUris: string[];
}

/** Returns those of the redirect URIs that a client may have for which only it speaks itself. */
export const acceptable = (redirectUris: readonly string[], env: Pick<Env, "base" | "config">): string[] =>
  redirectUris.filter((uri) => isVouched(uri, env) && !leadsToService(uri, env.base));

/** Returns a loopback URI without its port, which may be any. A client that registers each time it listens then always gets the same id. */
function withoutPort(uri: string): string {
  if (redirectKind(uri) !== "loopback") return uri;
  const url = new URL(uri);
  url.port = "";
  return url.href;
}

/**
 * Returns the id of a registered client: a signed text that contains its name and redirect URIs, so that nothing is stored. The same
 * registration gives the same id. Returns null if the text would be too long.
 */
export function registeredId(
  { name, redirectUris }: Registration,
  { signer }: Pick<Env, "signer">,
): string | null {
  const sorted = [...new Set(redirectUris.map(withoutPort))].sort();
  const text = Buffer.from(JSON.stringify([name, ...sorted])).toString("base64url");
  const id = `${text}.${signer.sign(PURPOSE, text)}`;
  return id.length > MAX_ID_LENGTH ? null : id;
}

/** Reads the id of a registered client. Returns null if the service has not issued it. Throws `invalid_client` if registration is off. */
export function registeredClient(id: string, env: Pick<Env, "signer" | "config" | "base">): Client | null {
  const [text = "", signature = "", ...rest] = id.length > MAX_ID_LENGTH ? [] : id.split(".");
  if (rest.length > 0 || !env.signer.verifies(signature, PURPOSE, text)) return null;
  if (!env.config.oauthRegistration)
    refuseOAuth("invalid_client", "This service does not accept programs that register themselves.");
  const [name, ...redirectUris] = JSON.parse(Buffer.from(text, "base64url").toString()) as [
    string,
    ...string[],
  ];
  return newClient(
    { id, kind: "registered", name, host: null, redirectUris: acceptable(redirectUris, env) },
    env,
  );
}

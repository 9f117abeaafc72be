import type { Env } from "../../env.ts";
import { refuseOAuth } from "../program-endpoint.ts";
import { CLIENT_ID, commandLine } from "./command-line.ts";
import { type Asker, documentClient } from "./document-client.ts";
import { type Client, newClient } from "./oauth-client.ts";
import { registeredClient } from "./registered.ts";

/**
 * Returns the client with an id. `from` is who asks: it may cost a request to another server, which is limited for each network and person. Throws
 * the OAuth error `invalid_client` with a message for people if there is no such client or its document cannot be used.
 */
export async function findClient(clientId: string, from: Asker, env: Env): Promise<Client> {
  if (clientId === CLIENT_ID) return commandLine(env.base);
  const own = env.config.oauthClients.clients.find((each) => each.clientId === clientId);
  if (own !== undefined) {
    const { name, redirectUris } = own;
    return newClient({ id: clientId, kind: "configured", name, host: null, redirectUris }, env);
  }
  if (clientId.startsWith("https://")) return documentClient(clientId, from, env);
  return (
    registeredClient(clientId, env) ??
    refuseOAuth("invalid_client", "This program is not known here. Let it connect again from the beginning.")
  );
}

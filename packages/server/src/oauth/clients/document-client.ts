import { documentUrl, UnusableDocument } from "../../access/client-document.ts";
import { leadsToService } from "../../access/redirect-uri.ts";
import type { Env } from "../../env.ts";
import { NO_HEADERS, take } from "../../http/rate-limit.ts";
import { networkOf } from "../../http/request-headers.ts";
import { refuseOAuth } from "../program-endpoint.ts";
import { cleanClientName } from "./client-name.ts";
import { knownClient } from "./known.ts";
import { type Client, newClient } from "./oauth-client.ts";

/** The person who looks up a client: the address of their browser, and their id. */
export interface Asker {
  ip: string;
  person: string;
}

const refuseUnknown = (description: string): never => refuseOAuth("invalid_client", description);

/**
 * Returns the address of the document of a client. Refuses the service itself and its canvases, where everybody can publish documents, and
 * hosts that the operator does not allow.
 */
function requireAllowed(clientId: string, { base, config }: Env): URL {
  const url = documentUrl(clientId);
  if (url === null) return refuseUnknown("The address that describes this program is not valid.");
  if (leadsToService(clientId, base)) return refuseUnknown("A canvas cannot describe a program.");
  const { hosts } = config.oauthClients;
  if (hosts.length > 0 && !hosts.includes(url.host))
    return refuseUnknown(
      `Programs of ${url.host} are not allowed here. An administrator can add this host to SERVICE_OAUTH_CLIENTS.`,
    );
  return url;
}

/**
 * Limits how many documents are fetched for a network, so that nobody can let the service send many requests to other servers. A document that
 * is in memory costs nothing.
 */
async function admitFetch(ip: string, env: Env): Promise<void> {
  const bucket = { rateClass: "program", owner: networkOf(ip), part: "client document" } as const;
  if (!(await take(bucket, env.config.loginPerMinute, NO_HEADERS, env)))
    throw new UnusableDocument(
      "Too many programs have been looked up from this network; try again in a minute.",
    );
}

/**
 * Returns the client that a document describes, which is at the address that is its id. Only a document at a host that the operator has
 * named may have an address that is not public.
 */
export async function documentClient(clientId: string, { ip, person }: Asker, env: Env): Promise<Client> {
  const url = requireAllowed(clientId, env);
  const outbound = env.config.oauthClients.hosts.includes(url.host) ? env.outbound : env.publicOutbound;
  try {
    const { name, redirectUris } = await env.clientDocuments.get(url, outbound, {
      person,
      admit: () => admitFetch(ip, env),
    });
    return newClient(
      {
        id: clientId,
        kind: "document",
        name: cleanClientName(name) ?? url.host,
        host: url.host,
        redirectUris,
      },
      env,
    );
  } catch (error) {
    if (!(error instanceof UnusableDocument)) throw error;
    const known = knownClient(clientId);
    if (known === undefined)
      return refuseUnknown(`The program of ${url.host} cannot connect. ${error.message}`);
    return newClient({ ...known, kind: "known", host: url.host }, env);
  }
}

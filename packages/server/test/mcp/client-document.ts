import { once } from "node:events";
import { createServer } from "node:https";
import { type AddressInfo, BlockList } from "node:net";
import tls from "node:tls";
import { createAuthority } from "@easel/conformance/connections/authority";
import { UndiciOutbound } from "../../src/drivers/outbound/undici-outbound.ts";
import { atEnd, type Scope } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";

const HOSTNAME = "tools.acme.test";

/** The document of an AI tool, at a web server that is this computer. */
export interface PublishedDocument {
  /** The address of the document, which is the client id. */
  url: string;
  /** The settings of a service that allows this host to describe tools. */
  settings: Record<string, string>;
  /** Lets a service find the host. */
  letFind(env: TestEnv): Promise<void>;
}

/** Publishes the document of an AI tool that returns to a redirect URL on the computer of its person. */
export async function publishDocument(
  scope: Scope,
  name: string,
  redirectUrl: string,
): Promise<PublishedDocument> {
  const authority = await createAuthority();
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), authority.ca]);
  const server = createServer(await authority.issue([HOSTNAME]), (request, response) => {
    const client_id = `https://${request.headers.host}${request.url}`;
    const document = {
      client_id,
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify(document));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(scope, async () => {
    server.closeAllConnections();
    server.close();
  });
  const host = `${HOSTNAME}:${(server.address() as AddressInfo).port}`;
  return {
    url: `https://${host}/client.json`,
    settings: { SERVICE_OAUTH_CLIENTS: JSON.stringify([host]) },
    async letFind(env) {
      const approved = new BlockList();
      approved.addSubnet("127.0.0.0", 8, "ipv4");
      const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
      await env.outbound.close();
      env.outbound = new UndiciOutbound(resolve, { approved, servicePort: 1 });
    },
  };
}

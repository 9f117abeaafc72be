import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { createAuthority } from "@easel/conformance/connections/authority";
import { atEnd, type Scope } from "./service.ts";

/** A response of an external API. A string is a body with status 200. */
export type ApiReply = string | { status?: number; headers?: Record<string, string>; body?: string };

/** An external API on a loopback address, for Connections of services in this process. */
export interface ExternalApi {
  origin: string;
  /** The environment variables of a service that may call the API. */
  settings: Record<string, string>;
  /** The requests that the API has received. */
  requests: IncomingMessage[];
  /** Produces the responses. */
  reply(request: IncomingMessage): ApiReply | Promise<ApiReply>;
}

/** Starts an external API with a certificate that this process trusts, and stops it when the scope ends. */
export async function startExternalApi(scope: Scope, reply: ExternalApi["reply"]): Promise<ExternalApi> {
  const authority = await createAuthority();
  const certificate = await authority.issue(["localhost"]);
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), authority.ca]);
  const api: ExternalApi = {
    origin: "",
    settings: { SERVICE_CONNECTIONS_PRIVATE_CIDRS: "127.0.0.0/8,::1" },
    requests: [],
    reply,
  };
  const server = createServer(certificate, async (request, response) => {
    api.requests.push(request);
    const given = await api.reply(request);
    const { status = 200, headers = {}, body = "" } = typeof given === "string" ? { body: given } : given;
    response.writeHead(status, headers).end(body);
  });
  // A connection that the API closes while a request is on its way would fail the request.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, "localhost"), "listening");
  api.origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  atEnd(scope, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return api;
}

import type { ServerResponse } from "node:http";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.ts";

/** The time after which a stopping service closes the connections of requests that are still pending. */
const STOP_TIMEOUT_MS = 10_000;

export const portOf = (server: net.Server) => (server.address() as net.AddressInfo).port;

/** Takes a free port, so that it is known before the application is built. Connections are refused until the application listens. */
export async function reservePort(host: string): Promise<net.Server> {
  const reserved = net.createServer((socket) => socket.destroy());
  await listening(reserved, () => reserved.listen({ host, port: 0 }));
  return reserved;
}

/** Lets the application listen at the reserved port, or at that of the settings. */
export async function listenAt(
  app: FastifyInstance,
  reserved: net.Server | null,
  { host, port }: Config,
  sharesPort: boolean,
): Promise<void> {
  if (sharesPort) await listening(app.server, () => app.server.listen({ host, port, reusePort: true }));
  else if (reserved === null) await app.listen({ host, port });
  else await listening(app.server, () => app.server.listen(reserved));
}

/** Calls `listen`, and waits until the server listens. Throws if it cannot. */
export function listening(server: net.Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    listen();
  });
}

/**
 * Serves on for a while, and ends each connection after its next response, so that a proxy that sees `/healthz` fail sends the next requests to
 * other nodes. Otherwise it might send one on a connection that is being closed. `close` may end the accepting of connections, if they wait elsewhere.
 */
export async function drain(app: FastifyInstance, ms: number, close = () => {}): Promise<void> {
  app.server.prependListener("request", (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  });
  close();
  await sleep(ms);
}

/** Waits for pending requests for a while, then closes all connections. */
export async function closeApp(app: FastifyInstance): Promise<void> {
  const timeout = setTimeout(() => app.server.closeAllConnections(), STOP_TIMEOUT_MS);
  // Closes idle connections repeatedly, because a connection becomes idle only when its last request has ended.
  const idle = setInterval(() => app.server.closeIdleConnections(), 50);
  await app.close();
  clearTimeout(timeout);
  clearInterval(idle);
}

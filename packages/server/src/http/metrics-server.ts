import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { SocketAddress } from "../config/setting-types.ts";
import { SetupError } from "../config/setting-types.ts";
import type { Env } from "../env.ts";
import { metricsText } from "../metrics/metrics.ts";
import { ProcessMetrics } from "../metrics/process-metrics.ts";
import { collectMetrics } from "./collected-metrics.ts";
import { createServer } from "./node-http.ts";

/** A listener that answers `GET /metrics` and nothing else. */
export interface MetricsServer {
  port: number;
  stop(): Promise<void>;
}

/** The number of connections at the same time: those of some Prometheus servers, and no more. */
const MAX_CONNECTIONS = 64;

/**
 * Listens at an address of its own for programs that read the metrics, so that the public port never has them. @throws SetupError if the
 * address cannot be used.
 */
export async function serveMetrics({ host, port }: SocketAddress, env: Env): Promise<MetricsServer> {
  const ofProcess = new ProcessMetrics();
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    request.resume();
    const path = request.url?.split("?", 1)[0];
    if (path !== "/metrics") return void response.writeHead(404).end("The metrics are at /metrics.\n");
    if (request.method !== "GET" && request.method !== "HEAD")
      return void response.writeHead(405, { allow: "GET, HEAD" }).end();
    void Promise.all([ofProcess.collect(env.metrics), collectMetrics(env)])
      .catch((err) => env.log.error({ err }, "some metrics could not be read"))
      .then(() => {
        response.writeHead(200, {
          "content-type": "text/plain; version=0.0.4; charset=utf-8",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        });
        response.end(request.method === "HEAD" ? undefined : metricsText(env.metrics));
      });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listening(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  env.log.info({ host, port: bound }, "metrics at /metrics");
  return {
    port: bound,
    async stop() {
      ofProcess.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another program listens there" : error.message;
      reject(new SetupError(`SERVICE_METRICS_ADDRESS ${host}:${port} cannot be used: ${why}`));
    });
    server.listen({ host, port }, resolve);
  });
}

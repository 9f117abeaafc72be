import { type FastifyInstance, fastify } from "fastify";
import type { Config } from "../../config/config.ts";
import type { Signer } from "../../crypto/secrets.ts";
import { mountArrival } from "../../http/arrival.ts";
import { isTrustedPeer } from "../../identity/proxy.ts";

/**
 * Listens at SERVICE_HOST and SERVICE_PORT, and answers a check as the service does, so that the way to it can be checked before the first start. Returns
 * null if it cannot listen there, because the service or another program does.
 */
export async function standIn(config: Config, signer: Signer): Promise<FastifyInstance | null> {
  const app = fastify({
    trustProxy: (address) => isTrustedPeer(address, config),
    forceCloseConnections: true,
    http: { shouldUpgradeCallback: () => false },
  });
  mountArrival(app, { signer, clock: Date.now });
  try {
    await app.listen({ host: config.host, port: config.port });
    return app;
  } catch {
    await app.close();
    return null;
  }
}

import type { FastifyInstance, FastifyRequest } from "fastify";
import { openTicket } from "../crypto/tickets.ts";
import type { Env } from "../env.ts";

/** The header with the ticket of `easel-server check`. */
export const CHECK_HEADER = "easel-check";

/** The largest body that is counted, in bytes. */
const BODY_MAX = 4 * 1024 * 1024;

/** How a request has arrived at the service, after every proxy on its way. */
export interface Arrival {
  host: string | null;
  /** The address of the client as limits and the audit log have it, and that of the peer of the connection. */
  client: string;
  peer: string;
  forwardedFor: string | null;
  upgrade: string | null;
  /** The bytes of its body. */
  bytes: number;
}

/**
 * Mounts a hook that answers requests with a ticket of `easel-server check` with how they have arrived, under every host and path. Only a
 * holder of the session secret can make a ticket; to all others, nothing here exists.
 */
export function mountArrival(app: FastifyInstance, env: Pick<Env, "signer" | "clock">): void {
  app.addHook("onRequest", (request, reply, done) => {
    const ticket = request.headers[CHECK_HEADER];
    if (typeof ticket !== "string" || openTicket("check", ticket, env) === null) return done();
    const send = (arrival: Arrival) => reply.header("cache-control", "no-store").send(arrival);
    arrivalOf(request).then(send, done);
  });
}

async function arrivalOf({ headers, ip, raw }: FastifyRequest): Promise<Arrival> {
  let bytes = 0;
  for await (const chunk of raw) {
    bytes += chunk.length;
    if (bytes > BODY_MAX) break;
  }
  return {
    host: headers.host ?? null,
    client: ip,
    peer: raw.socket.remoteAddress ?? "",
    forwardedFor: headers["x-forwarded-for"]?.toString() ?? null,
    upgrade: headers.upgrade ?? null,
    bytes,
  };
}

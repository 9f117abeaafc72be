import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { baseOf } from "../../config/addresses.ts";
import { type Config, sessionSecrets } from "../../config/config.ts";
import { Signer } from "../../crypto/secrets.ts";
import { issueTicket } from "../../crypto/tickets.ts";
import { type Arrival, CHECK_HEADER } from "../../http/arrival.ts";
import { isTrustedPeer } from "../../identity/proxy.ts";
import { type Row, rowsOf } from "./row.ts";
import { standIn } from "./stand-in.ts";

const TIMEOUT_MS = 15_000;
const TICKET_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A body that every proxy must let through: more than the 1 MB that nginx allows by itself. */
const BODY_BYTES = 2 * 1024 * 1024;

/** Asks the service at a URL how a request arrives there. */
type Ask = (url: string, more?: { body?: Buffer; headers?: Record<string, string> }) => Promise<Answer>;

interface Answer {
  arrival: Arrival;
  /** How many days the certificate is valid; null over http. */
  days: number | null;
}

/**
 * Checks what the service gets through its public address: names, certificates, and what proxies on the way change. If no service answers, this process
 * answers in its place.
 */
export async function checkAddress(config: Config): Promise<Row[]> {
  // The first start makes the secret, not a check.
  const hasSecret = config.sessionSecret !== null || existsSync(path.join(config.dataDir, "session-secret"));
  const signer = new Signer(hasSecret ? await sessionSecrets(config) : [randomBytes(32).toString("hex")]);
  const { rows, isReached } = await checkWay(config, signer);
  const app = isReached ? null : await standIn(config, signer);
  if (app === null) return rows;
  const message = `none runs: this command has answered at ${config.host}:${config.port} in its place`;
  try {
    return [{ name: "service", state: "warning", message }, ...(await checkWay(config, signer)).rows];
  } finally {
    await app.close();
  }
}

/** Asks through the public address. `isReached` says whether something with this secret has answered. */
async function checkWay(config: Config, signer: Signer): Promise<{ rows: Row[]; isReached: boolean }> {
  const base = baseOf(config, config.port);
  const ask = asking(signer);
  let isReached = false;
  const reached = await rowsOf(
    "address",
    async () => {
      const { arrival, days } = await ask(`${base.origin}/healthz`);
      isReached = true;
      return [
        hostRow("address", base.host, arrival, days),
        ...(base.secure || arrival.forwardedFor !== null ? [clientRow(arrival, config)] : []),
      ];
    },
    `${base.origin} (SERVICE_BASE_URL) must lead to the service at ${config.host}:${config.port}`,
  );
  // Without a service there is nothing more to see, and the reason is told.
  if (reached[0]?.state === "failed") return { rows: reached, isReached };
  const label = `check-${randomBytes(4).toString("hex")}`;
  const canvas = base.urlMode === "subdomain" ? new URL(base.canvasOrigin(label)) : null;
  const rows = [
    ...reached,
    ...(canvas === null
      ? []
      : await rowsOf(
          "canvas hosts",
          async () => {
            const { arrival, days } = await ask(`${canvas.origin}/healthz`);
            return [hostRow("canvas hosts", canvas.host, arrival, days)];
          },
          `Every host below ${base.hostname} needs the DNS record *.${base.hostname} and a certificate for it`,
        )),
    ...(await rowsOf(
      "large body",
      async () => {
        const { arrival } = await ask(`${base.origin}/healthz`, { body: Buffer.alloc(BODY_BYTES) });
        if (arrival.bytes !== BODY_BYTES) throw new Error(`only ${arrival.bytes} of 2 MiB have arrived`);
        return "2 MiB arrive";
      },
      "Raise the limit of the proxy on request bodies, such as `client_max_body_size 2g` of nginx",
    )),
    ...(await rowsOf(
      "WebSocket",
      async () => {
        const headers = { connection: "Upgrade", upgrade: "websocket" };
        const { arrival } = await ask(`${base.origin}/healthz`, { headers });
        if (arrival.upgrade?.toLowerCase() !== "websocket") throw new Error("the proxy removes `Upgrade`");
        return "`Upgrade` arrives";
      },
      "Let the proxy pass on the headers `Upgrade` and `Connection`",
    )),
  ];
  return { rows, isReached };
}

/** Compares the `Host` that arrives with the one that was sent. */
function hostRow(name: string, host: string, arrival: Arrival, days: number | null): Row {
  if (arrival.host !== host)
    return {
      name,
      state: "failed",
      message: `the service gets the host \`${arrival.host}\` instead of \`${host}\`: let the proxy pass on Host, such as \`proxy_set_header Host $http_host\` of nginx`,
    };
  if (days !== null && days < 14)
    return {
      name,
      state: "warning",
      message: `${host} answers, but its certificate ends in ${days === 1 ? "a day" : `${days} days`}`,
    };
  const certificate = days === null ? "" : `; its certificate is valid for ${days} days`;
  return { name, state: "ok", message: `${host} answers, and \`Host\` arrives unchanged${certificate}` };
}

/** Whether the address of the client arrives, or that of a proxy counts as the client. */
function clientRow({ client, peer, forwardedFor }: Arrival, config: Config): Row {
  const row = (state: Row["state"], message: string): Row => ({ name: "client address", state, message });
  if (forwardedFor === null)
    return row(
      "warning",
      `requests come from ${peer} without X-Forwarded-For: if that is a proxy, let it add the address of the client; all people share its limits otherwise`,
    );
  if (!isTrustedPeer(peer, config))
    return row(
      "failed",
      `the address of the proxy, ${peer}, counts as that of every client: add it to SERVICE_PROXY_TRUSTED_IPS`,
    );
  return row("ok", `this machine is seen as ${client}`);
}

/** Returns the function that asks a service with tickets of these secrets. */
const asking = (signer: Signer): Ask => {
  const ticket = issueTicket("check", { id: "" }, {}, { signer, clock: Date.now }, TICKET_MS);
  return async (url, { body, headers } = {}) => {
    const response = await request(url, body, { ...headers, [CHECK_HEADER]: ticket });
    const { socket } = response;
    const until = "getPeerCertificate" in socket ? (socket as TLSSocket).getPeerCertificate().valid_to : null;
    const answer = await text(response);
    if (response.headers["content-type"]?.includes("json") && answer.includes('"peer"'))
      return {
        arrival: JSON.parse(answer) as Arrival,
        days: until === null ? null : Math.floor((Date.parse(until) - Date.now()) / DAY_MS),
      };
    throw new Error(
      `${new URL(url).host} answers ${response.statusCode}, but it is not a service with this SERVICE_SESSION_SECRET, or a proxy answers for it`,
    );
  };
};

function request(
  url: string,
  body: Buffer | undefined,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request } = url.startsWith("https:") ? https : http;
  const { hostname, host } = new URL(url);
  const sent = request(url, {
    // Browsers find every name below `localhost` on this machine, and resolvers of systems do not.
    ...(hostname.endsWith(".localhost") && { hostname: "127.0.0.1", servername: hostname }),
    method: body === undefined ? "GET" : "POST",
    headers: { host, ...headers, ...(body && { "content-length": String(body.length) }) },
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  sent.on("response", resolve).on("error", reject).end(body);
  return promise;
}

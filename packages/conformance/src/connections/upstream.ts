import { writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createAuthority } from "./authority.ts";
import { type Reply, replyIn } from "./reply.ts";

/*
 * A stand-in for an external API: `node upstream.ts FILE [port]` writes the certificate of its own authority to FILE and prints its origin,
 * `https://localhost:{port}`. A service trusts it if it is started with NODE_EXTRA_CA_CERTS=FILE, and may call it if
 * SERVICE_CONNECTIONS_PRIVATE_CIDRS has `127.0.0.0/8,::1`. The query parameter `reply` of a request says how it responds (reply.ts). `GET
 * /log?mark=` returns the requests whose query parameter `mark` has this value.
 */

/** A request that the stand-in for the external API has received, as its route `GET /log` returns it. */
export interface Received {
  method: string;
  /** The path and the query as sent. */
  path: string;
  /** The names in lower case and the values of the headers, in their order. */
  headers: [name: string, value: string][];
  /** The body in base64. */
  body: string;
  /** Whether the client closed the connection before it had the whole response. Null while the stand-in responds. */
  aborted: boolean | null;
}

const log: { mark: string; received: Received }[] = [];

/** Sends the response in pieces, no faster than the client reads them. */
async function play(reply: Reply, response: ServerResponse): Promise<void> {
  // While a response waits for the end of the one before it, `response.destroy()` does not close the connection.
  const { socket } = response.req;
  if (reply.delayMs) await sleep(reply.delayMs, undefined, { ref: false });
  if (reply.hang) return;
  if (reply.reset) return void socket.destroy();
  if (reply.hints) response.writeEarlyHints({ link: "</early>; rel=preload", "x-request-id": "early" });
  response.writeHead(reply.status ?? 200, reply.headers ?? {});
  for (let left = reply.times ?? 1; left > 0 && !response.destroyed; left--) {
    if (response.write(reply.body ?? "")) continue;
    const { promise: writable, resolve } = Promise.withResolvers<void>();
    response.once("drain", resolve).once("close", resolve);
    await writable;
    response.off("drain", resolve).off("close", resolve);
  }
  if (reply.stall) return;
  if (reply.cut) socket.destroy();
  else response.end();
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "", rawHeaders } = request;
  const { pathname, searchParams } = new URL(url, "https://localhost");
  const mark = searchParams.get("mark") ?? "";
  if (pathname === "/log") {
    const found = log.filter((entry) => entry.mark === mark).map(({ received }) => received);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found));
    return;
  }
  const headers: Received["headers"] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.push([(rawHeaders[index] ?? "").toLowerCase(), rawHeaders[index + 1] ?? ""]);
  const received: Received = { method, path: url, headers, body: "", aborted: null };
  log.push({ mark, received });
  response.once("close", () => {
    received.aborted = !response.writableFinished;
  });
  received.body = Buffer.concat(await request.toArray()).toString("base64");
  await play(replyIn(searchParams) ?? { body: "ok" }, response);
}

const [, , file = "upstream-ca.pem", port = "0"] = process.argv;
const authority = await createAuthority();
await writeFile(file, authority.ca);
// More than the headers that a service may send.
const maxHeaderSize = 64 * 1024;
const server = createServer(
  { ...(await authority.issue(["localhost"])), maxHeaderSize },
  (request, response) => {
    respond(request, response).catch(() => request.socket.destroy());
  },
);
// A connection that closes while a request is on its way on it would fail the request.
server.keepAliveTimeout = 0;
server.listen(Number(port), "localhost", () => {
  process.stdout.write(`https://localhost:${(server.address() as AddressInfo).port}\n`);
});
process.once("SIGTERM", () => process.exit(0));

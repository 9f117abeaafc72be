import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import http, { type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import { PATIENCE_MS } from "./patience.ts";

/** One header line as it is sent. A list of headers may contain the same name twice. */
export type Header = [name: string, value: string];

/** A request. `path` is sent unchanged. A `Content-Length` header is added if there is a body that is not chunked. */
export interface Request {
  method: string;
  path: string;
  /** The Host header if it is not that of the service's base URL, such as the host of a canvas in subdomain mode. */
  host?: string;
  headers?: Header[];
  body?: string | Buffer;
}

/** A response. Reading `json` fails the test if the body is not JSON, or is neither an object nor an array. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  readonly json: Record<string, unknown>;
}

/** A request, and the response to it. */
export interface Exchange {
  request: Request;
  answer: Answer;
}

/**
 * The Node.js diagnostics channel to which `send` publishes each `Exchange`. Tests can subscribe to it to check a rule for all responses.
 */
export const EXCHANGES = channel("easel.conformance.exchanges");

/**
 * Options of the HTTP agents that reuse connections. With a `timeout`, an agent obeys the service's `Keep-Alive` header: it closes an idle
 * connection before the service does.
 */
const KEPT = { keepAlive: true, maxSockets: 64, timeout: PATIENCE_MS };
const agents = { "http:": new http.Agent(KEPT), "https:": new https.Agent(KEPT) };

/**
 * Starts a request to the service at `base`, and returns it. The caller writes the body and ends the request. If `reuse` is false, the
 * request gets a connection of its own.
 */
export function start(
  base: string,
  { method, path, host, headers = [] }: Request,
  reuse = true,
): http.ClientRequest {
  const url = new URL(base);
  const secure = url.protocol === "https:";
  const name = host ?? url.host;
  return (secure ? https : http).request({
    hostname: addressOf(url.hostname),
    port: url.port || (secure ? 443 : 80),
    method,
    path,
    headers: [["Host", name] satisfies Header, ...headers].flat(),
    ...(host !== undefined && secure ? { servername: host.replace(/:\d+$/, "") } : {}),
    agent: reuse && agents[secure ? "https:" : "http:"],
    timeout: PATIENCE_MS,
  });
}

/**
 * Returns the address to connect to. This is 127.0.0.1 for a name such as `a.localhost`, which not every system resolves. An IPv6 address
 * loses its brackets, and any other name is returned unchanged.
 */
function addressOf(hostname: string): string {
  return hostname.endsWith(".localhost") ? "127.0.0.1" : hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Reads a response to its end. */
export async function read(response: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString("utf8");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text,
    get json() {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {}
      assert.ok(
        typeof value === "object" && value !== null,
        `${response.statusCode}: no JSON object: ${text.slice(0, 200)}`,
      );
      return value as Record<string, unknown>;
    },
  };
}

/** Sends one request and returns the response. */
export function send(base: string, request: Request): Promise<Answer> {
  const { method, path, headers = [], body } = request;
  return new Promise((resolve, reject) => {
    const out = start(base, { ...request, headers: [...headers, ...measured(request)] });
    out.on("response", (response) =>
      read(response).then((answer) => {
        EXCHANGES.publish({ request, answer } satisfies Exchange);
        resolve(answer);
      }, reject),
    );
    out.on("timeout", () => out.destroy(new Error(`no answer to ${method} ${path}`)));
    out.on("error", reject);
    out.end(body);
  });
}

/**
 * Returns a list with the Content-Length header of a request. The list is empty if the body is chunked, or if there is no body and the
 * method is not POST, PUT or PATCH.
 */
function measured({ method, headers = [], body }: Request): Header[] {
  const chunked = headers.some(([name]) => name === "Transfer-Encoding");
  const bodiless = body === undefined && !["POST", "PUT", "PATCH"].includes(method);
  return chunked || bodiless ? [] : [["Content-Length", String(Buffer.byteLength(body ?? ""))]];
}

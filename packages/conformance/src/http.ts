import assert from "node:assert/strict";
import http, { type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import { PATIENCE_MS } from "./patience.ts";

/** One header line as it goes out; a list may hold the same name twice. */
export type Header = [name: string, value: string];

/** A request as it goes out: `path` is sent byte for byte, `body` with its length unless a header says otherwise. */
export interface Request {
  method: string;
  path: string;
  /** Another host at the address of the base: that of a canvas in subdomain mode. */
  host?: string;
  headers?: Header[];
  body?: string | Buffer;
}

/** What came back; `json` fails the test when the body is not a JSON object. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  readonly json: Record<string, unknown>;
}

/** With a time of its own, an agent lets go of an idle connection before the service says that it will. */
const KEPT = { keepAlive: true, maxSockets: 64, timeout: PATIENCE_MS };
const agents = { "http:": new http.Agent(KEPT), "https:": new https.Agent(KEPT) };

/** Starts a request to `base`; the caller writes and ends it. */
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

/** Where to connect: names below `localhost` are this machine, though not every system knows them. */
function addressOf(hostname: string): string {
  return hostname.endsWith(".localhost") ? "127.0.0.1" : hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Reads an answer to its end. */
export async function read(response: http.IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
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

/** Sends one request and gives the answer. */
export function send(base: string, request: Request): Promise<Answer> {
  const { method, path, headers = [], body } = request;
  return new Promise((resolve, reject) => {
    const out = start(base, { ...request, headers: [...headers, ...measured(request)] });
    out.on("response", (response) => read(response).then(resolve, reject));
    out.on("timeout", () => out.destroy(new Error(`no answer to ${method} ${path}`)));
    out.on("error", reject);
    out.end(body);
  });
}

/** The length of the body, unless it goes out in chunks or the method has none. */
function measured({ method, headers = [], body }: Request): Header[] {
  const chunked = headers.some(([name]) => name === "Transfer-Encoding");
  const bodiless = body === undefined && !["POST", "PUT", "PATCH"].includes(method);
  return chunked || bodiless ? [] : [["Content-Length", String(Buffer.byteLength(body ?? ""))]];
}

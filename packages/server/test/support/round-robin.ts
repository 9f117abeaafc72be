import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import net, { type AddressInfo, type Socket } from "node:net";
import { atEnd, type Scope } from "./service.ts";

/**
 * A load balancer before the nodes of a service: each request goes to the next node, so that a browser meets another node with each. It passes
 * requests, headers and bodies as they are, and upgraded connections as bytes.
 */
export class RoundRobin {
  /** The ports of the nodes on 127.0.0.1. A node that is taken out gets no further requests. */
  readonly ports: number[] = [];
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #server = http.createServer(
    // What a request may be is for the nodes to say.
    {
      insecureHTTPParser: true,
      maxHeaderSize: 256 * 1024,
      requestTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: 0,
    },
  );
  #requests = 0;

  private constructor() {
    this.#server.on("request", (request, response) => this.#pass(request, response));
    this.#server.on("checkContinue", (request, response) => this.#pass(request, response));
    this.#server.on("upgrade", (request, socket, head) => this.#tunnel(request, socket as Socket, head));
    this.#server.on("clientError", (error, socket) =>
      this.#join(socket as Socket, (error as Error & { rawPacket?: Buffer }).rawPacket ?? Buffer.alloc(0)),
    );
  }

  static async start(scope: Scope): Promise<RoundRobin> {
    const proxy = new RoundRobin();
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    atEnd(scope, async () => {
      proxy.#agent.destroy();
      proxy.#server.close();
      proxy.#server.closeAllConnections();
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #next(): number {
    return this.ports[this.#requests++ % this.ports.length] as number;
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const out = http.request({
      host: "127.0.0.1",
      port: this.#next(),
      agent: this.#agent,
      method: request.method ?? "GET",
      path: request.url ?? "/",
      headers: request.rawHeaders,
      setHost: false,
    });
    // A node may answer while the body is still on its way, and then close: the answer counts.
    out.on("error", () => {
      if (!response.headersSent) response.writeHead(502, { connection: "close" });
      response.end();
    });
    out.on("continue", () => response.writeContinue());
    out.on("response", (answer) => {
      response.sendDate = false;
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    response.on("close", () => out.destroy());
    request.pipe(out);
    out.flushHeaders();
  }

  /** Passes a request to upgrade, and then both directions as bytes. */
  #tunnel(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { method, url, httpVersion, rawHeaders } = request;
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
    this.#join(socket, Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  }

  /** Joins a connection to a node, which gets `bytes` first. */
  #join(client: Socket, bytes: Buffer): void {
    const node = net.connect({ port: this.#next(), host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    node.write(bytes);
    for (const [from, to] of [
      [client, node],
      [node, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  }
}

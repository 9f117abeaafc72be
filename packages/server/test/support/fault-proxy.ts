import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd, type Scope } from "./service.ts";

/**
 * What a network does to connections:
 * - `latency`: each byte arrives `ms` later
 * - `slow`: at most `bytesPerSecond` in each direction of a connection
 * - `cut`: open connections are reset, and new ones too
 * - `black hole`: nothing arrives until the fault ends; then everything does, as when TCP sends it again
 * - `half open`: the server's side is gone and the client is not told. Such a connection stays silent when the fault has ended.
 */
export type Fault =
  | { kind: "latency"; ms: number }
  | { kind: "slow"; bytesPerSecond: number }
  | { kind: "cut" | "black hole" | "half open" };

/** The chunks of a direction that wait for their time; more are not read. */
const WAITING_MAX = 256;

interface Pair {
  client: Socket;
  server: Socket;
  isHalfOpen: boolean;
}

/** A TCP proxy before a server on loopback, whose connections fail on demand. */
export class FaultProxy {
  readonly #listener: net.Server;
  readonly #pairs = new Set<Pair>();
  #fault: Fault | undefined;
  #changed = Promise.withResolvers<void>();
  /** The port of the server on 127.0.0.1. */
  server: number;

  private constructor(server: number) {
    this.server = server;
    this.#listener = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) =>
      this.#connect(client),
    );
  }

  /** Starts a proxy before the server on a port of 127.0.0.1. */
  static async start(scope: Scope, server: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(server);
    proxy.#listener.listen(0, "127.0.0.1");
    await once(proxy.#listener, "listening");
    atEnd(scope, async () => {
      proxy.#listener.close();
      for (const { client, server } of proxy.#pairs) {
        client.destroy();
        server.destroy();
      }
    });
    return proxy;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** Replaces the fault. Without one, new bytes and new connections pass. */
  set(fault?: Fault): void {
    this.#fault = fault;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
    for (const pair of this.#pairs) this.#strike(pair);
  }

  #connect(client: Socket): void {
    const server = net.connect({ port: this.server, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const pair = { client, server, isHalfOpen: false };
    this.#pairs.add(pair);
    client.on("error", () => {});
    server.on("error", () => {});
    client.on("close", () => {
      this.#pairs.delete(pair);
      server.destroy();
    });
    server.on("close", () => {
      if (!pair.isHalfOpen) client.destroy();
    });
    this.#pass(client, server);
    this.#pass(server, client);
    this.#strike(pair);
  }

  #strike(pair: Pair): void {
    if (this.#fault?.kind === "cut") reset(pair);
    if (this.#fault?.kind !== "half open") return;
    pair.isHalfOpen = true;
    pair.server.destroy();
    pair.client.resume();
  }

  /** Passes the bytes of one direction on, in order, each when the fault of its time lets it. */
  #pass(from: Socket, to: Socket): void {
    let last: Promise<unknown> = Promise.resolve();
    let waiting = 0;
    const later = (work: () => Promise<unknown> | unknown) => {
      if (++waiting > WAITING_MAX) from.pause();
      last = last.then(work).then(() => {
        if (--waiting === 0) from.resume();
      });
    };
    from.on("data", (chunk: Buffer) => {
      const arrived = Date.now();
      later(async () => {
        await this.#delay(arrived, chunk.length);
        // The callback is also called when the connection has closed.
        await new Promise<unknown>((written) => to.write(chunk, written));
      });
    });
    from.on("end", () => {
      later(async () => {
        await this.#delay(Date.now(), 0);
        to.end();
      });
    });
  }

  /** Resolves when a chunk may pass. */
  async #delay(arrived: number, bytes: number): Promise<void> {
    while (this.#fault?.kind === "black hole") await this.#changed.promise;
    const fault = this.#fault;
    if (fault?.kind === "latency") await sleep(Math.max(0, arrived + fault.ms - Date.now()));
    if (fault?.kind === "slow") await sleep((1000 * bytes) / fault.bytesPerSecond);
  }
}

function reset({ client, server }: Pair): void {
  // A reset while something is being sent leaves a request in Node 26.10 that never ends, for which the process waits at its end.
  if (client.writableLength > 0 || client.writableEnded) client.destroy();
  else client.resetAndDestroy();
  server.destroy();
}

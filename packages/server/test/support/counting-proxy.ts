import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/** A TCP proxy that counts the round trips through it. */
export interface CountingProxy {
  port: number;
  /**
   * The round trips so far. One begins when the client sends something after the server has answered, on whichever connection. So what the
   * client sends on several connections without waiting is one round trip.
   */
  readonly trips: number;
  close(): void;
}

/** Starts a proxy in front of a port of the loopback interface. */
export async function openCountingProxy(target: number): Promise<CountingProxy> {
  let trips = 0;
  let isAnswered = true;
  const server = createServer((client) => {
    const upstream = connect({ host: "127.0.0.1", port: target, noDelay: true });
    client.setNoDelay(true);
    client.on("data", (part) => {
      if (isAnswered) trips++;
      isAnswered = false;
      upstream.write(part);
    });
    upstream.on("data", (part) => {
      isAnswered = true;
      client.write(part);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("close", () => to.destroy());
      from.on("error", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get trips() {
      return trips;
    },
    close: () => server.close(),
  };
}

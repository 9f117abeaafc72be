import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { isSuccess, isWhole } from "./response.ts";
import { median } from "./table.ts";

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

/** Requests before counting, in which every connection to the database prepares the statements. */
const WARM_UP = 100;
/** An odd number, because the median is taken. */
const COUNTED = 51;

/**
 * Sends requests to a server on a port, one after the other on one connection. Returns the median of the round trips through `proxies` until a
 * response, for each proxy.
 */
export async function countRoundTrips(
  port: number,
  requests: string[],
  unique: string,
  proxies: CountingProxy[],
): Promise<number[]> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  const found: number[][] = [];
  for (let index = 0; index < WARM_UP + COUNTED; index++) {
    const before = proxies.map(({ trips }) => trips);
    const number = String(Date.now() * 1000 + index);
    socket.write((requests[index % requests.length] ?? "").replace(unique, number));
    let response = Buffer.alloc(0);
    while (!isWhole(response)) {
      const [part] = (await once(socket, "data")) as [Buffer];
      response = Buffer.concat([response, part]);
    }
    if (!isSuccess(response)) throw new Error(response.toString());
    if (index >= WARM_UP) found.push(proxies.map(({ trips }, each) => trips - (before[each] ?? 0)));
  }
  socket.destroy();
  return proxies.map((_, each) => median(found.map((trips) => trips[each] ?? Number.NaN)));
}

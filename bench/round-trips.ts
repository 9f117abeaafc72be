import { once } from "node:events";
import { connect } from "node:net";
import type { CountingProxy } from "../packages/server/test/support/counting-proxy.ts";
import { isSuccess, isWhole } from "./response.ts";
import { median } from "./table.ts";

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

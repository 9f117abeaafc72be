import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

/** Returns an address at which nothing listens any more. */
export async function closedAddress(): Promise<string> {
  const server = http.createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

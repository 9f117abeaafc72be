import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";

/** A TCP proxy that counts the round trips through it. */
export interface CountingProxy {
  port: number;
  /**
   * The round trips so far. One begins when the client sends something after the server has answered, on whichever connection. So what the
   * client sends on several connections without waiting is one round trip.
   */
  readonly trips: number;
  /** Closes all connections. */
  close(): void;
}

/** Starts a proxy in front of a port of the loopback interface. `onSent` is called with what clients send. */
export async function openCountingProxy(
  target: number,
  onSent: (part: Buffer, client: Socket) => void = () => {},
): Promise<CountingProxy> {
  let trips = 0;
  let isAnswered = true;
  const open = new Set<Socket>();
  const server = net.createServer({ noDelay: true }, (client) => {
    const upstream = net.connect({ host: "127.0.0.1", port: target, noDelay: true });
    client.on("data", (part: Buffer) => {
      if (isAnswered) trips++;
      isAnswered = false;
      onSent(part, client);
      upstream.write(part);
    });
    upstream.on("data", (part) => {
      isAnswered = true;
      client.write(part);
    });
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get trips() {
      return trips;
    },
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

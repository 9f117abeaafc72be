import net from "node:net";
import { atEnd, type Scope } from "./service.ts";

/** A proxy before a PostgreSQL server that counts what its client sends. */
export interface PostgresProxy {
  /** The URL of the database through the proxy. */
  url: string;
  /** The messages since the last `clear`, as their type bytes in the protocol: P parse, B bind, E execute, S sync, Q simple query. */
  sent(): string;
  /** The texts that were prepared since the start. */
  readonly texts: Set<string>;
  /** How often the client has begun to send after an answer on the same connection: the number of round trips. */
  roundTrips(): number;
  clear(): void;
}

/** Starts a proxy before the server of a database. It stops when the scope ends. */
export async function postgresProxy(scope: Scope, databaseUrl: string): Promise<PostgresProxy> {
  const at = new URL(databaseUrl);
  let [sent, trips] = ["", 0];
  const texts = new Set<string>();
  const open = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(at.port), at.hostname);
    let rest = Buffer.alloc(0);
    let [started, isAnswered] = [false, true];
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk: Buffer) => {
      if (isAnswered) trips++;
      isAnswered = false;
      rest = Buffer.concat([rest, chunk]);
      // The first message has no type.
      for (let type = started ? 1 : 0; rest.length >= type + 4; type = 1) {
        const length = type + rest.readInt32BE(type);
        if (rest.length < length) break;
        if (started) {
          const kind = String.fromCharCode(rest[0] as number);
          sent += kind;
          if (kind === "P") texts.add(rest.subarray(5, length).toString().split("\0")[1] as string);
        }
        started = true;
        rest = rest.subarray(length);
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      isAnswered = true;
      client.write(chunk);
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  atEnd(scope, async () => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as net.AddressInfo).port);
  return {
    url: url.href,
    sent: () => sent,
    texts,
    roundTrips: () => trips,
    clear() {
      sent = "";
      trips = 0;
    },
  };
}

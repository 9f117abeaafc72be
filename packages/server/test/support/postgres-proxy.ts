import type { Socket } from "node:net";
import { openCountingProxy } from "./counting-proxy.ts";
import { atEnd, type Scope } from "./service.ts";

/** A proxy before a PostgreSQL server that counts what its client sends. */
export interface PostgresProxy {
  /** The URL of the database through the proxy. */
  url: string;
  /** The messages since the last `clear`, as their type bytes in the protocol: P parse, B bind, E execute, S sync, Q simple query. */
  sent(): string;
  /** The texts that were prepared since the start. */
  readonly texts: Set<string>;
  /** The number of round trips since the last `clear`. */
  roundTrips(): number;
  clear(): void;
}

/** Starts a proxy before the server of a database. It stops when the scope ends. */
export async function postgresProxy(scope: Scope, databaseUrl: string): Promise<PostgresProxy> {
  const url = new URL(databaseUrl);
  const texts = new Set<string>();
  /** The bytes of each connection that are no whole message yet. The first message of a connection has no type. */
  const rests = new Map<Socket, { bytes: Buffer; isFirst: boolean }>();
  let sent = "";
  const proxy = await openCountingProxy(Number(url.port), (part, client) => {
    const rest = rests.get(client) ?? { bytes: Buffer.alloc(0), isFirst: true };
    rests.set(client, rest);
    rest.bytes = Buffer.concat([rest.bytes, part]);
    for (;;) {
      const type = rest.isFirst ? 0 : 1;
      if (rest.bytes.length < type + 4) return;
      const length = type + rest.bytes.readInt32BE(type);
      if (rest.bytes.length < length) return;
      if (!rest.isFirst) {
        const kind = String.fromCharCode(rest.bytes[0] as number);
        sent += kind;
        if (kind === "P") texts.add(rest.bytes.subarray(5, length).toString().split("\0")[1] as string);
      }
      rest.isFirst = false;
      rest.bytes = rest.bytes.subarray(length);
    }
  });
  atEnd(scope, async () => proxy.close());
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  let before = 0;
  return {
    url: url.href,
    sent: () => sent,
    texts,
    roundTrips: () => proxy.trips - before,
    clear() {
      sent = "";
      before = proxy.trips;
    },
  };
}

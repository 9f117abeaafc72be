import type { Server } from "./child.ts";
import { type FlowResult, openSockets, type Sockets } from "./crowd.ts";
import { createRooms, KINDS } from "./rooms.ts";

/**
 * The results, keyed by the number of messages that each publisher keeps in flight (`window`). Each value is a list of rounds. A round is a
 * list with one result for each kind of server, in the order of `KINDS`.
 */
export type Flows = Map<number, FlowResult[][]>;

/**
 * Measures the throughput of messages on every kind of server, in turn. A publisher keeps a fixed number of messages in flight: whenever it
 * receives one of its own messages, it sends the next one. The order of the servers differs from round to round, and the first round is
 * discarded.
 */
export async function measureFlow(options: {
  rooms: number;
  windows: number[];
  rounds: number;
  warmUpMs: number;
  timedMs: number;
}): Promise<Flows> {
  const { rooms, windows, rounds, warmUpMs, timedMs } = options;
  const servers: Server[] = [];
  const halls: Sockets[] = [];
  try {
    for (const kind of KINDS) {
      const server = await kind.start(0);
      servers.push(server);
      halls.push(await openSockets(await createRooms(kind, server, rooms)));
    }
    const flows: Flows = new Map(windows.map((window) => [window, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const [window, done] of flows) {
        const figures: FlowResult[] = [];
        for (const turn of halls.keys()) {
          const kind = (turn + round) % halls.length;
          const flowed = await halls[kind]?.flow({ window, warmUpMs, timedMs });
          if (flowed) figures[kind] = flowed;
        }
        if (round > 0) done.push(figures);
      }
    }
    return flows;
  } finally {
    for (const sockets of halls) await sockets.close();
    for (const server of servers) await server.stop();
  }
}

import type { Server } from "./child.ts";
import { type Flowed, openSockets, type Sockets } from "./crowd.ts";
import { fill, KINDS } from "./rooms.ts";

/** By window: of every round the figures of each kind. */
export type Flows = Map<number, Flowed[][]>;

/**
 * Has publishers in all rooms send as fast as their messages come back, on one kind of server after the other. The order
 * changes from round to round; the first round is thrown away.
 */
export async function flowing(course: {
  rooms: number;
  windows: number[];
  rounds: number;
  warmUpMs: number;
  timedMs: number;
}): Promise<Flows> {
  const { rooms, windows, rounds, warmUpMs, timedMs } = course;
  const servers: Server[] = [];
  const halls: Sockets[] = [];
  try {
    for (const kind of KINDS) {
      const server = await kind.start(0);
      servers.push(server);
      halls.push(await openSockets(await fill(kind, server, rooms)));
    }
    const flows: Flows = new Map(windows.map((window) => [window, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const [window, done] of flows) {
        const figures: Flowed[] = [];
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

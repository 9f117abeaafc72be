import type { Server } from "./child.ts";
import { openSockets, type Pulse, type PulseResult } from "./crowd.ts";
import { type Memory, memoryOf, probed } from "./memory.ts";
import { createRooms, KINDS, type Kind } from "./rooms.ts";

/** What was measured with idle WebSockets. The lists have one entry for each kind of server, in the order of `KINDS`. */
export interface Rest {
  /** The memory of the server per socket, in bytes. */
  memory: Memory[];
  /** The latencies of messages that were published in a few of the rooms: one list per round, with one entry for each kind of server. */
  pulses: PulseResult[][];
}

interface IdleOptions {
  rooms: number;
  rounds: number;
  pulse: Omit<Pulse, "kind">;
}

/** Opens idle sockets in many rooms of each kind of server, one kind after the other, and publishes in a few of the rooms. */
export async function measureIdle(options: IdleOptions): Promise<Rest> {
  const rest: Rest = { memory: [], pulses: Array.from({ length: options.rounds }, () => []) };
  for (const kind of KINDS) {
    const server = await probed(() => kind.start(0));
    try {
      await restOn(kind, server, options, rest);
    } finally {
      await server.stop();
    }
  }
  return rest;
}

async function restOn(kind: Kind, server: Server, { rooms, pulse }: IdleOptions, rest: Rest): Promise<void> {
  const crowd = await createRooms(kind, server, rooms);
  const before = await memoryOf(server);
  const sockets = await openSockets(crowd);
  const after = await memoryOf(server);
  const count = rooms * crowd.perRoom;
  rest.memory.push({ rss: (after.rss - before.rss) / count, heap: (after.heap - before.heap) / count });
  for (const figures of rest.pulses) figures.push(await sockets.pulse(pulse));
  await sockets.close();
}

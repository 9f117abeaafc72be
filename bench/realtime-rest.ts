import type { Server } from "./child.ts";
import { openSockets, type Pulse, type Pulsed } from "./crowd.ts";
import { type Memory, memoryOf, probed } from "./memory.ts";
import { fill, KINDS, type Kind } from "./rooms.ts";

/** Sockets at rest, by kind of server. */
export interface Rest {
  /** What a socket takes, in bytes. */
  memory: Memory[];
  /** Of every round how long messages took that a few of the rooms had meanwhile. */
  pulses: Pulsed[][];
}

interface Course {
  rooms: number;
  rounds: number;
  pulse: Omit<Pulse, "kind">;
}

/** Opens sockets in many rooms of each kind of server, one kind after the other, and lets a few of the rooms talk. */
export async function atRest(course: Course): Promise<Rest> {
  const rest: Rest = { memory: [], pulses: Array.from({ length: course.rounds }, () => []) };
  for (const kind of KINDS) {
    const server = await probed(() => kind.start(0));
    try {
      await restOn(kind, server, course, rest);
    } finally {
      await server.stop();
    }
  }
  return rest;
}

async function restOn(kind: Kind, server: Server, { rooms, pulse }: Course, rest: Rest): Promise<void> {
  const crowd = await fill(kind, server, rooms);
  const before = await memoryOf(server);
  const sockets = await openSockets(crowd);
  const after = await memoryOf(server);
  const count = rooms * crowd.perRoom;
  rest.memory.push({ rss: (after.rss - before.rss) / count, heap: (after.heap - before.heap) / count });
  for (const figures of rest.pulses) figures.push(await sockets.pulse(pulse));
  await sockets.close();
}

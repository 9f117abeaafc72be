import { readFileSync } from "node:fs";
import { pinned } from "./child.ts";
import { type Flows, measureFlow } from "./realtime-flow.ts";
import { measureIdle, type Rest } from "./realtime-rest.ts";
import { KINDS, PEOPLE, PER_ROOM } from "./rooms.ts";
import { figure, median, type Table } from "./table.ts";

/** The number of open files that a process needs besides its sockets, with a margin. */
const OTHER_FILES = 500;
const KIB = 1024;

/** Options of the benchmark. The defaults take about 80 seconds. */
export interface RealtimeOptions {
  /** The number of rooms in which messages are published. */
  rooms?: number;
  /**
   * Each of these numbers is measured separately. The number 4 means that every publisher always has 4 messages that it has sent and not
   * yet received back.
   */
  windows?: number[];
  rounds?: number;
  timedMs?: number;
  /** The number of rooms with idle sockets. */
  idleRooms?: number;
}

/** Compares rooms on Easel, on Socket.IO and on plain `ws`: the rate of delivered messages, and the memory of idle sockets. */
export async function realtime(options: RealtimeOptions = {}): Promise<Table> {
  const { rooms = 100, windows = [1, 4], rounds = 5, timedMs = 1000 } = options;
  const idleRooms = Math.min(options.idleRooms ?? 300, Math.floor((openFiles() - OTHER_FILES) / PER_ROOM));
  const pulse = { rooms: Math.min(30, idleRooms), perSecond: 300, timedMs: 2000 };
  const flows = await measureFlow({ rooms, windows, rounds, warmUpMs: 300, timedMs });
  const rests = await measureIdle({ rooms: idleRooms, rounds: 3, pulse });
  return {
    title: "realtime: rooms on this server, on Socket.IO and on plain ws",
    conditions: [
      `${rooms} rooms of ${PER_ROOM} sockets; ${PEOPLE} in each publish about 100 bytes and send the next when their own comes back.`,
      `Medians of ${rounds} rounds of ${timedMs / 1000} s, alternating; ratios are medians of the ratios per round.`,
      `Then ${figure(idleRooms * PER_ROOM)} idle sockets, of which ${pulse.rooms} rooms get ${pulse.perSecond} messages a second together.`,
      pinned ? "Server on core 0, load on core 1." : "NOT PINNED: server and load share the cores.",
      `Node ${process.version}.`,
    ].join(" "),
    columns: ["", ...KINDS.map(({ name }) => name), "this / socket.io", "target"],
    rows: [...windows.flatMap((window) => flowRows(window, flows)), ...restRows(rests)],
  };
}

function flowRows(window: number, flows: Flows): string[][] {
  const rounds = flows.get(window) ?? [];
  const busy = ({ cpu, perSecond }: { cpu: number | null; perSecond: number }) =>
    ((cpu ?? Number.NaN) * perSecond) / 10_000;
  const each = `, ${window} on the way each`;
  return [
    row(
      `delivered/s${each}`,
      rounds.map((kinds) => kinds.map(({ perSecond }) => perSecond)),
      0,
      ">= 2.20",
    ),
    row(
      `server CPU µs/delivery${each}`,
      rounds.map((kinds) => kinds.map(({ cpu }) => cpu ?? Number.NaN)),
      2,
    ),
    row(
      `server busy %${each}`,
      rounds.map((kinds) => kinds.map(busy)),
      0,
    ).slice(0, 1 + KINDS.length),
  ];
}

function restRows({ memory, pulses }: Rest): string[][] {
  return [
    row("idle: RSS KiB/socket", [memory.map(({ rss }) => rss / KIB)], 1, "this < 15"),
    row("idle: heap KiB/socket", [memory.map(({ heap }) => heap / KIB)], 1),
    row(
      "fan-out p50 ms",
      pulses.map((kinds) => kinds.map(({ p50 }) => p50)),
      2,
    ),
    row(
      "fan-out p99 ms",
      pulses.map((kinds) => kinds.map(({ p99 }) => p99)),
      2,
    ),
  ];
}

/**
 * Returns a row of the table: the label, one median for each kind of server, the median of the quotients Easel / Socket.IO, and the goal.
 * `rounds` has one list for each round. Each list has one number for each kind of server, in the order of `KINDS`.
 */
function row(label: string, rounds: number[][], decimals: number, goal = ""): string[] {
  const medians = KINDS.map((_, kind) => median(rounds.map((kinds) => kinds[kind] ?? Number.NaN)));
  const ratio = median(rounds.map(([ours = Number.NaN, theirs = Number.NaN]) => ours / theirs));
  return [label, ...medians.map((value) => figure(value, decimals)), figure(ratio, 2), goal];
}

/**
 * Returns the number of files that a process may open: the hard limit, because Node raises the soft limit to it. Returns infinity if the
 * limit cannot be read.
 */
function openFiles(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +\S+ +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

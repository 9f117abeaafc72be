import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Stage, share, stage } from "@easel/conformance/fixture";
import { connect, type Socket } from "@easel/conformance/realtime/socket";
import { devTarget, type Target } from "@easel/conformance/target";
import { startBus, startDatabase } from "./backends.ts";
import { pinned } from "./child.ts";
import { startEasel } from "./easel.ts";
import { figure, type Table } from "./table.ts";

const MESSAGES = 1_000;
const REVOCATIONS = 200;
/** The pause between two messages. */
const PAUSE_MS = 8;

const CHANNEL = "bench";

/** Returns the value below which this part of the times lies. */
const quantile = (times: number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(part * times.length) - 1] ?? Number.NaN;

/**
 * Measures what crosses from one node to another, with PostgreSQL and Redis: how long a message of a channel takes to a subscriber of the same
 * node and of the other one, and how long after the request that ends somebody's access their connection to the other node is closed.
 */
export async function nodes(): Promise<Table> {
  const ends: (() => Promise<void>)[] = [];
  try {
    const database = await startDatabase();
    ends.push(() => database.stop());
    const redis = await startBus();
    if (redis === null) throw new Error("Redis is not installed.");
    ends.push(() => redis.remove());
    const settings = {
      SERVICE_DATABASE_URL: await database.create("nodes"),
      SERVICE_BUS_URL: redis.url,
      SERVICE_SESSION_SECRET: "the-benchmark-signs-its-cookies-with-this",
      SERVICE_BLOBS_URL: `file:${await sharedFolder(ends)}`,
    };
    const targets: Target[] = [];
    for (let count = 0; count < 2; count++) {
      const node = await startEasel(0, settings);
      ends.push(() => node.stop());
      targets.push(devTarget(node.url, "path"));
    }
    const [here, there] = targets as [Target, Target];
    const { same, other } = await messages(here, there);
    const row = (name: string, times: number[]) => [
      name,
      ...[0.5, 0.99, 1].map((part) => figure(quantile(times, part), 2)),
    ];
    return {
      title: "nodes: from one node to another",
      conditions: [
        `${figure(MESSAGES)} messages, one every ${PAUSE_MS} ms; ${REVOCATIONS} revocations, one after the other.`,
        "From the moment of sending to the event at the client, in ms.",
        pinned ? "Nodes and databases on core 0, clients on core 1." : "NOT PINNED: expect noise.",
        `Node ${process.version}.`,
      ].join(" "),
      columns: ["", "p50", "p99", "longest"],
      rows: [
        row("message, same node", same),
        row("message, other node", other),
        row("connection closed, other node", await revocations(here, there)),
      ],
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function messages(here: Target, there: Target): Promise<{ same: number[]; other: number[] }> {
  const site = await stage(here);
  const { slug, people } = site;
  const sockets = await Promise.all([
    connect(here, slug, people.owner),
    connect(here, slug, people.editor),
    connect(there, slug, people.viewer),
  ]);
  const [sender, same, other] = sockets as [Socket, Socket, Socket];
  for (const socket of sockets) await socket.ask({ type: "subscribe", channel: CHANNEL });
  await sleep(200);
  for (const socket of sockets) await socket.settled();
  const arrivals = async (socket: Socket): Promise<number[]> => {
    const times: number[] = [];
    while (times.length < MESSAGES) {
      const frame = await socket.next();
      if (frame.type === "message") times.push(performance.now() - Number(frame.data));
    }
    return times;
  };
  const [fromSame, fromOther] = [arrivals(same), arrivals(other)];
  for (let count = 0; count < MESSAGES; count++) {
    sender.send({ type: "publish", channel: CHANNEL, data: performance.now() });
    await sleep(PAUSE_MS);
  }
  const times = { same: await fromSame, other: await fromOther };
  await Promise.all(sockets.map((socket) => socket.close()));
  return times;
}

async function revocations(here: Target, there: Target): Promise<number[]> {
  const site: Stage = await stage(here);
  const times: number[] = [];
  while (times.length < REVOCATIONS) {
    await share(here, site, "private", { viewer: "viewer" });
    const socket = await connect(there, site.slug, site.people.viewer);
    await socket.settled();
    const begun = performance.now();
    const closed = socket.end().then(() => performance.now() - begun);
    await share(here, site, "private", {});
    times.push(await closed);
  }
  return times;
}

/** Creates a folder that the nodes share for blobs. */
async function sharedFolder(ends: (() => Promise<void>)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "easel-bench-blobs-"));
  ends.push(() => rm(folder, { recursive: true }));
  return folder;
}

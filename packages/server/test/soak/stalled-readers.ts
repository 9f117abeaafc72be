import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import net, { type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { KvStore } from "../../src/primitives/kv/store.ts";
import { times } from "../drivers/databases.ts";
import { startDev } from "../support/engines.ts";

const READERS = 500;
const MOST_BYTES = 100_000_000;
const ONE = Buffer.alloc(1);
const KEYS = 1_000;
const VALUE = { value: JSON.stringify("x".repeat(60_000)), number: null };

/** Returns the memory that the process uses after garbage collections, in bytes. */
async function held(): Promise<number> {
  for (let each = 0; each < 3; each++) {
    await sleep(100);
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test(`${READERS} clients that ask for a list of 60 MB and take nothing cost less than 100 MB and are cut off`, {
  timeout: 300_000,
}, async (t) => {
  assert.ok(globalThis.gc, "run by `npm run soak`, which exposes the garbage collector");
  const { target, env } = await startDev(t);
  /** The sockets of the connections on the service's side. */
  const ends: Socket[] = [];
  const canvases = await times(6, () => stage(target));
  for (const { id } of canvases)
    await times(KEYS, (index) => new KvStore(env.db, id, "").put(`k${1000 + index}`, VALUE, KEYS));
  const before = await held();

  subscribe("http.server.request.start", (message) => {
    ends.push((message as { socket: Socket }).socket);
  });
  const { host, port } = new URL(target.base);
  const sockets = await times(READERS, async (index) => {
    const { slug, people } = canvases[index % canvases.length] as (typeof canvases)[number];
    // A client that reads nothing, and so adds nothing to the memory that is measured.
    const socket = net.connect({
      host: "127.0.0.1",
      port: Number(port),
      onread: { buffer: ONE, callback: () => false },
    });
    socket.on("error", () => {});
    const cookie = people.owner.headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`GET /v1/c/${slug}/kv?limit=${KEYS} HTTP/1.1\r\nHost: ${host}\r\n${cookie}\r\n`);
    return socket;
  });
  let bytes = 0;
  await until("they are stalled", async () => {
    const last = bytes;
    bytes = await held();
    return ends.length === READERS && Math.abs(bytes - last) < 100_000;
  });
  t.diagnostic(
    `${((bytes - before) / 1e6).toFixed(0)} MB, ${((bytes - before) / READERS / 1e3).toFixed(0)} kB each`,
  );
  assert.ok(bytes - before < MOST_BYTES);

  while (ends.some(({ destroyed }) => !destroyed)) await sleep(1_000);
  for (const socket of sockets) socket.destroy();
});

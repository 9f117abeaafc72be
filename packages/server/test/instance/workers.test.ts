import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { until } from "@easel/conformance/patience";
import { unusedPort, Workers } from "../../src/instance/workers.ts";
import { atEnd, fileScope, type Scope, temporaryDirectory } from "../support/service.ts";

/** A program that reports like a worker; its argument says how it behaves. */
const WORKER = `
  const [, , behaviour] = process.argv;
  if (behaviour === "wrong") process.exit(3);
  if (behaviour === "stubborn") process.on("SIGTERM", () => {});
  else process.on("SIGTERM", () => process.exit(behaviour === "faulty" ? 4 : 0));
  process.on("disconnect", () => process.exit());
  setInterval(() => {}, 1_000);
  process.send({ ready: "I serve" });
`;

describe("workers", () => {
  const file = fileScope();
  let program: string;
  before(async () => {
    program = path.join(await temporaryDirectory(file), "worker.mjs");
    await writeFile(program, WORKER);
  });

  /** Prepares workers that behave as said, in the order of their start; the last behaviour is that of all later ones, too. */
  function prepare(t: Scope, count: number, ...behaviours: string[]) {
    const started: ChildProcess[] = [];
    const lines: string[] = [];
    const workers = new Workers({
      count,
      start() {
        const behaviour = behaviours[Math.min(started.length, behaviours.length - 1)] ?? "well";
        const child = fork(program, [behaviour]);
        started.push(child);
        return child;
      },
      log: { error: (_, message) => lines.push(message) },
      restart: { first: 10, most: 40 },
      killAfter: 300,
    });
    atEnd(t, async () => {
      for (const child of started) child.kill("SIGKILL");
    });
    const live = () => started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    return { workers, started, lines, live };
  }

  it("they start, one before the others, and all stop", async (t) => {
    const { workers, started, live } = prepare(t, 3);
    const starting = workers.start();
    assert.equal(started.length, 1);
    assert.equal(await starting, "I serve");
    assert.equal(live().length, 3);
    await Promise.all(started.slice(1).map((child) => once(child, "message")));
    assert.equal(await workers.stop(), 0);
    assert.equal(live().length, 0);
    assert.equal(started.length, 3);
  });

  it("one whose primary process ended before it listens says so, and stops", async (t) => {
    const late = path.join(await temporaryDirectory(t), "late.mjs");
    const workers = pathToFileURL(path.join(import.meta.dirname, "../../src/instance/workers.ts"));
    await writeFile(
      late,
      `import { reportReady } from ${JSON.stringify(workers.href)};
       const log = { warn: (line) => process.stderr.write(line + "\\n") };
       const stop = async () => process.stderr.write("stopped");
       process.once("disconnect", () => setImmediate(() => reportReady("I serve", { log, stop })));`,
    );
    const child = fork(late, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
    child.disconnect();
    const said = text(child.stderr as Readable);
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.equal(await said, "the process that started this worker has ended: the worker stops\nstopped");
  });

  it("if the first one does not start, there is no other one", async (t) => {
    const { workers, started } = prepare(t, 3, "wrong");
    assert.equal(await workers.start(), null);
    assert.equal(started.length, 1);
  });

  it("one that is killed is started again, and the others go on", async (t) => {
    const { workers, started, lines, live } = prepare(t, 2);
    await workers.start();
    started[0]?.kill("SIGKILL");
    await until("another one runs", () => started.length === 3 && live().length === 2);
    assert.ok(live().includes(started[1] as ChildProcess));
    assert.deepEqual(lines, ["a worker has ended: another one starts in 10 ms"]);
    await workers.stop();
  });

  it("one that ends soon after its start waits longer each time", async (t) => {
    const { workers, started, lines } = prepare(t, 2, "well", "wrong");
    await workers.start();
    await until("it was started five times", () => started.length === 6);
    assert.equal(await workers.stop(), 0);
    const waits = lines.slice(0, 5).map((line) => Number(/in (\d+) ms/.exec(line)?.[1]));
    assert.deepEqual(waits.slice(0, 4), [10, 20, 40, 40]);
  });

  it("one that does not stop is killed, and the exit code says so", async (t) => {
    const { workers, lines, live } = prepare(t, 2, "well", "stubborn");
    const started = await workers.start();
    assert.equal(started, "I serve");
    await once(live()[1] as ChildProcess, "message");
    assert.equal(await workers.stop(), 1);
    assert.equal(live().length, 0);
    assert.deepEqual(lines, ["a worker did not stop and is killed"]);
  });

  it("one that fails while it stops: the exit code says so", async (t) => {
    const { workers } = prepare(t, 1, "faulty");
    await workers.start();
    assert.equal(await workers.stop(), 1);
  });
});

it("a port at which another program listens is refused before the workers could share it", async (t) => {
  const port = await unusedPort({ host: "127.0.0.1", port: 0 });
  const other = net.createServer().listen({ host: "127.0.0.1", port, reusePort: true });
  atEnd(t as Scope, async () => void other.close());
  await once(other, "listening");
  await assert.rejects(unusedPort({ host: "127.0.0.1", port }), { code: "EADDRINUSE" });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { test } from "node:test";
import { until } from "@easel/conformance/patience";
import { readConfig } from "../../src/config/config.ts";
import { openDb } from "../../src/drivers/index.ts";
import { sharedRedis, skipRedis } from "../drivers/redis-buses.ts";
import { signIn, startProcess } from "../support/process.ts";
import { atEnd, ENGINES, type Scope, temporaryDirectory } from "../support/service.ts";

const postgres = ENGINES.find(({ name }) => name === "postgres");
const skip = skipRedis || postgres?.skip || false;

/** Starts a service with two workers. */
async function startWorkers(t: Scope) {
  const settings = {
    SERVICE_DATABASE_URL: (await postgres?.migratedDatabase(t)) ?? assert.fail(),
    SERVICE_BUS_URL: sharedRedis ?? assert.fail(),
    SERVICE_SESSION_SECRET: "a secret which both of the workers have",
    SERVICE_LOG_LEVEL: "silent",
    SERVICE_WORKERS: "2",
  };
  const db = await openDb(
    readConfig({ ...settings, SERVICE_BUS_URL: "memory:", SERVICE_WORKERS: "1" }),
    assert.ifError,
  );
  atEnd(t, () => db.close());
  const service = await startProcess(t, await temporaryDirectory(t), settings);
  const workers = async () => {
    const rows = await db.all<{ process: string }>`
      select nodes.process from nodes join live_leases on live_leases.id = nodes.id order by started_at`;
    return rows.map(({ process }) => Number(process.split(" ")[1]));
  };
  await until("both workers run", async () => (await workers()).length === 2);
  return { ...service, workers };
}

/** Returns the number of sockets that listen at the port of a URL. */
async function listeners(base: string): Promise<number> {
  const port = Number(new URL(base).port).toString(16).toUpperCase().padStart(4, "0");
  const table = await readFile("/proc/net/tcp", "utf8");
  return table
    .split("\n")
    .filter((line) => /^ *\d+: /.test(line) && line.includes(`:${port} 00000000:0000 0A`)).length;
}

/** Sends a request on a connection of its own. */
const get = (url: string, headers: http.OutgoingHttpHeaders = {}) =>
  new Promise<number>((resolve, reject) => {
    http
      .get(url, { headers, agent: false }, (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode ?? 0));
      })
      .once("error", reject);
  });

test("workers share a port; one that is killed is replaced; a stop waits for pending requests", {
  skip,
}, async (t) => {
  const { base, pid, workers, end } = await startWorkers(t);
  await until("both listen", async () => (await listeners(base)) === 2);
  const headers = await signIn(base);
  const canvas = `${base}/v1/c/guestbook`;

  const before = await workers();
  assert.ok(!before.includes(pid), "the primary process does not serve");
  process.kill(before[0] as number, "SIGKILL");
  await until("another one takes its place", async () => {
    const now = await workers();
    return now.length === 2 && !now.includes(before[0] as number);
  });
  await until("both listen again", async () => (await listeners(base)) === 2);
  for (let each = 0; each < 20; each++) assert.equal(await get(`${canvas}/me`, headers), 200);

  const request = http.request(`${canvas}/kv/last`, {
    method: "PUT",
    headers: { ...headers, expect: "100-continue" },
  });
  request.flushHeaders();
  await once(request, "continue");
  request.write('"half of');
  const ended = end("SIGTERM");
  await until("no worker listens", async () => (await listeners(base)) === 0);
  request.end(' it"');
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  answer.resume();
  assert.equal(answer.statusCode, 200);
  assert.equal(await ended, 0);
  assert.deepEqual(await workers(), []);
});

test("workers stop when their primary process is killed", { skip }, async (t) => {
  const { workers, end, base } = await startWorkers(t);
  await end("SIGKILL");
  await until("both have stopped", async () => (await workers()).length === 0);
  assert.equal(await listeners(base), 0);
});

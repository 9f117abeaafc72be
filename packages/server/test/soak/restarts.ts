import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { signIn } from "../support/process.ts";
import { temporaryDirectory } from "../support/service.ts";
import { openSocketUnit } from "../support/socket-unit.ts";

const RESTARTS = 10;
const CLIENTS = 12;
const REQUESTS_BETWEEN = 300;

/** Sends a request and reads the response. Returns its status, or the code of the error. */
const ask = (url: string, options: http.RequestOptions, body?: string) =>
  new Promise<number | string>((resolve) => {
    const request = http.request(url, options, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode ?? 0));
      answer.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
    request.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.end(body);
  });

for (const keepAlive of [false, true]) {
  test(`${RESTARTS} restarts behind a socket refuse no request, ${keepAlive ? "on connections that are kept" : "each on a connection of its own"}`, async (t) => {
    const unit = await openSocketUnit(t, { SERVICE_DATA_DIR: await temporaryDirectory(t) });
    await unit.start();
    const headers = await signIn(unit.base);
    const kv = `${unit.base}/v1/c/guestbook/kv`;
    const results = new Map<number | string, number>();
    let asked = 0;
    let slowest = 0;
    let isOver = false;
    const agents: http.Agent[] = [];
    const client = async (id: number) => {
      const agent = new http.Agent({ keepAlive, maxSockets: 1 });
      agents.push(agent);
      for (let each = 0; !isOver; each++) {
        const begun = performance.now();
        const write = each % 2 === 0;
        const result = await ask(
          `${kv}/client-${id}`,
          { agent, headers, method: write ? "PUT" : "GET" },
          write ? JSON.stringify({ value: each }) : undefined,
        );
        slowest = Math.max(slowest, performance.now() - begun);
        results.set(result, (results.get(result) ?? 0) + 1);
        asked++;
        await sleep(5);
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, id) => client(id));
    for (let each = 0; each < RESTARTS; each++) {
      for (const before = asked; asked < before + REQUESTS_BETWEEN; ) await sleep(10);
      assert.equal(await unit.stop(), 0);
      await unit.start();
    }
    isOver = true;
    await Promise.all(clients);
    for (const agent of agents) agent.destroy();
    assert.equal(await unit.stop(), 0);
    t.diagnostic(`${asked} requests, the slowest ${Math.round(slowest)} ms: ${JSON.stringify([...results])}`);
    assert.ok(asked > 1_000);
    assert.deepEqual([...results.keys()], [200]);
  });
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { until } from "@easel/conformance/patience";
import { startDev } from "../support/engines.ts";

test("a request that arrives in a turn without time left waits for a later turn", async (t) => {
  const { env, target } = await startDev(t);
  const waiting: (() => void)[] = [];
  env.turns.start = (work) => void waiting.push(work);
  const responses = ["/healthz", "/openapi.json"].map((path) => fetch(target.base + path));
  await until("both requests wait", () => waiting.length === responses.length);
  assert.equal(await Promise.race([...responses, "pending"]), "pending");
  for (const work of waiting) work();
  assert.deepEqual(
    (await Promise.all(responses)).map(({ status }) => status),
    [200, 200],
  );
});

test("of pipelined requests only the last one waits, and all are started once and in order", async (t) => {
  const { env, target } = await startDev(t);
  const waiting: (() => void)[] = [];
  env.turns.start = (work) => void waiting.push(work);
  const { hostname, port, host } = new URL(target.base);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  let received = "";
  socket.on("data", (bytes: Buffer) => {
    received += bytes.toString();
  });
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  socket.write(
    ["/healthz", "/nothing", "/healthz"]
      .map((path) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      .join(""),
  );
  await until("two responses", () => statuses().length === 2);
  assert.deepEqual(statuses(), ["200", "404"]);
  assert.equal(waiting.length, 3);
  for (const work of waiting) work();
  await until("three responses", () => statuses().length === 3);
  assert.deepEqual(statuses(), ["200", "404", "200"]);
});

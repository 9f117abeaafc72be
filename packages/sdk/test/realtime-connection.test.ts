import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import type { EaselError } from "../src/index.ts";
import { createSocket } from "../src/realtime/socket.ts";
import { createRealtime } from "../src/realtime.ts";
import { gatherReports, startPage, startServer, startSubscribedPage } from "./realtime-server.ts";

const subscribe = (channel: string) => ({ type: "subscribe", channel });
const subscribed = (channel: string) => ({ type: "subscribed", channel });
const presence = (channel: string) => ({ type: "presence", channel });
const message = (event: string) => ({ type: "publish", channel: "pens", event });
const disconnected = { name: "EaselError", code: "DISCONNECTED", status: 0 };

/** Asserts the delay, in ms, after a number of consecutive failures. */
function assertBackoff(delay: number, failures: number) {
  assert.equal(delay, Math.min(500 * 2 ** failures, 10_000));
}

for (const code of [1000, 1001, 1008, 1011, 4000]) {
  test(`after ${code} the channels are subscribed again before the queued messages are sent`, async (t) => {
    const { realtime, pens, line, pause, connection } = await startSubscribedPage(t);
    const inks = realtime.channel("inks");
    const waiting = inks.subscribe(() => {});
    await line.next();
    line.close(code);
    const { end } = await pause();
    pens.publish("a");
    pens.publish("b");
    end();
    const next = await connection();
    assert.deepEqual(
      [await next.next(), await next.next(), await next.next(), await next.next()],
      [subscribe("pens"), subscribe("inks"), message("a"), message("b")],
    );
    next.say(subscribed("inks"));
    await waiting;
  });
}

test("requests of a lost connection are rejected, later ones wait for the next connection", async (t) => {
  const { pens, line, pause, connection } = await startSubscribedPage(t);
  const users = assert.rejects(pens.presence(), disconnected);
  await line.next();
  line.close(1001);
  const { end } = await pause();
  await users;
  const later = pens.presence();
  end();
  const next = await connection();
  assert.deepEqual([await next.next(), await next.next()], [subscribe("pens"), presence("pens")]);
  next.say({ type: "presence", channel: "pens", users: [] });
  assert.deepEqual(await later, []);
});

test("a handler added while disconnected waits for the new subscription", async (t) => {
  const { pens, line, pause, connection } = await startSubscribedPage(t);
  line.close(1001);
  const { end } = await pause();
  let settled = false;
  const done = pens
    .subscribe(() => {})
    .then(() => {
      settled = true;
    });
  end();
  const next = await connection();
  assert.deepEqual(await next.next(), subscribe("pens"));
  assert.equal(settled, false);
  next.say(subscribed("pens"));
  await done;
});

test("a resubscription that is refused goes to `onError` and is sent again on the next connection", async (t) => {
  const reports = gatherReports(t);
  const { pens, line, pause, connection } = await startSubscribedPage(t);
  const errors: EaselError[] = [];
  const stop = pens.onError((error) => errors.push(error));
  line.close(1001);
  for (const heard of [true, false]) {
    if (!heard) stop();
    const { end } = await pause();
    const users = pens.presence();
    end();
    const next = await connection();
    assert.deepEqual([await next.next(), await next.next()], [subscribe("pens"), presence("pens")]);
    next.say({ type: "error", code: "PERMISSION_DENIED", message: "m", channel: "pens" });
    next.say({ type: "presence", channel: "pens", users: [] });
    assert.deepEqual(await users, []);
    assert.deepEqual([errors.length, reports.length], heard ? [1, 0] : [1, 1]);
    next.close(1001);
  }
});

test("256 messages are queued; the next one fails with an error to `onError`", async (t) => {
  const { pens, line, pause, connection } = await startSubscribedPage(t);
  const errors: EaselError[] = [];
  pens.onError((error) => errors.push(error));
  line.close(1001);
  const { end } = await pause();
  for (let n = 0; n < 256; n++) pens.publish(`${n}`);
  assert.deepEqual(errors, []);
  pens.publish("one too many");
  assert.deepEqual(
    errors.map(({ code, status }) => [code, status]),
    [["DISCONNECTED", 0]],
  );
  end();
  const next = await connection();
  assert.deepEqual(await next.next(), subscribe("pens"));
  for (let n = 0; n < 256; n++) assert.deepEqual(await next.next(), message(`${n}`));
  pens.publish("now");
  assert.deepEqual(await next.next(), message("now"));
});

test("queued messages of a closed channel are not sent", async (t) => {
  const { realtime, pens, line, pause, connection } = await startSubscribedPage(t);
  const inks = realtime.channel("inks");
  line.close(1001);
  const { end } = await pause();
  inks.publish("a");
  pens.publish("b");
  inks.close();
  end();
  const next = await connection();
  assert.deepEqual([await next.next(), await next.next()], [subscribe("pens"), message("b")]);
});

test("the delays double up to ten seconds, and a received frame resets them", async (t) => {
  const { line, pens, pause, connection, refuse } = await startSubscribedPage(t);
  refuse(6);
  line.close(1001);
  for (let failures = 0; failures < 7; failures++) {
    const { delay, end } = await pause();
    assertBackoff(delay, failures);
    end();
  }
  const silent = await connection();
  silent.close(1001);
  const eighth = await pause();
  assertBackoff(eighth.delay, 7);
  eighth.end();
  const spoken = await connection();
  const users = pens.presence();
  spoken.say({ type: "presence", channel: "pens", users: [] });
  await users;
  spoken.close(1001);
  assertBackoff((await pause()).delay, 0);
});

test("a connection of ten seconds without frames resets the delays", async (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  const { realtime, pause, connection } = await startPage(t);
  const pens = realtime.channel("pens");
  pens.publish("a");
  for (const [connected, failures] of [
    [0, 0],
    [9_999, 1],
    [10_000, 0],
    [0, 1],
  ] as const) {
    const line = await connection();
    await line.next();
    t.mock.timers.tick(connected);
    line.close(1001);
    const { delay, end } = await pause();
    assertBackoff(delay, failures);
    pens.publish("a");
    end();
  }
  pens.close();
});

test("a page that closes everything while it waits does not reconnect", async (t) => {
  const { pens, line, pause } = await startSubscribedPage(t);
  line.close(1001);
  const paused = await pause();
  pens.close();
  await Promise.resolve();
  assert.equal(paused.cancelled, true);
});

test("a page that closes everything while it connects does not reconnect", async () => {
  class Hasty {
    onclose = (_: { code: number }) => {};
    close() {
      this.onclose({ code: 1006 });
    }
  }
  let paused = false;
  const socket = createSocket(
    () => new Hasty() as unknown as WebSocket,
    () => {
      paused = true;
      return () => {};
    },
  );
  const pens = createRealtime(socket).channel("pens");
  const users = assert.rejects(pens.presence(), { code: "CHANNEL_CLOSED" });
  pens.close();
  await users;
  assert.equal(paused, false);
});

const script = (url: string) => `
  import { createEasel } from "${new URL("../src/index.ts", import.meta.url)}";
  const { realtime, kv } = createEasel({ url: "${url}" });
  const pens = realtime.channel("pens");
  pens.onError(() => {});
  const stop = kv.watch("", () => {});
  pens.subscribe(() => {});
  await pens.presence();
  stop();
  pens.close();
`;

test("with the last channel and watch closed, nothing keeps the process alive or fails it", async (t) => {
  const { page, connection } = await startServer(t);
  const child = spawn(process.execPath, ["--input-type=module", "-e", script(page.url)], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  t.after(() => child.kill());
  const exit = once(child, "exit");
  const line = await connection();
  line.say({ type: "presence", channel: "pens", users: [] });
  assert.deepEqual(await exit, [0, null]);
});

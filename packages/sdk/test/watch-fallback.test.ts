import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type EaselError, toError } from "../src/errors.ts";
import type { Socket, Subscriber } from "../src/realtime/socket.ts";
import { createWatch, type KvChange } from "../src/realtime/watch.ts";

const TASKS = { resource: "kv", prefix: "task:" } as const;
const polled = { op: "resync", polled: true };
const full = toError(429, { code: "CONNECTION_LIMIT", message: "m" });
const off = toError(403, { code: "CAPABILITY_DISABLED", message: "m", capability: "realtime" });

/** Starts a watch on a connection that the test controls. The timers are mocked. */
function open(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const subscribers = new Set<Subscriber>();
  let attempts = 0;
  const socket = {
    attach(subscriber: Subscriber) {
      attempts += 1;
      subscribers.add(subscriber);
    },
    detach: (subscriber: Subscriber) => void subscribers.delete(subscriber),
    send() {},
  } as unknown as Socket;
  const watch = createWatch(socket);
  const changes: KvChange[] = [];
  const errors: EaselError[] = [];
  const start = () =>
    watch(
      TASKS,
      (change: KvChange) => changes.push(change),
      (error) => errors.push(error),
    );
  return {
    watch,
    changes,
    errors,
    start,
    stop: start(),
    attempts: () => attempts,
    attached: () => subscribers.size,
    wait(seconds: number) {
      for (let second = 0; second < seconds; second++) t.mock.timers.tick(1_000);
    },
    confirm() {
      for (const each of subscribers) each.receive({ type: "watching", ...TASKS });
    },
    drop() {
      for (const each of subscribers) each.disconnected();
    },
    /** Ends the connection with an error after which the SDK does not reconnect. */
    fail(error: EaselError) {
      const all = [...subscribers];
      subscribers.clear();
      for (const notify of all.map((each) => each.failed(error))) notify();
    },
  };
}

for (const [name, error] of [
  ["the canvas is full", full],
  ["realtime is off", off],
] as const) {
  test(`${name}: the handler is called at once and every half minute, and the error is told once`, (t) => {
    const { changes, errors, wait, fail } = open(t);
    fail(error);
    assert.deepEqual([changes.splice(0), errors], [[polled], [error]]);
    wait(29);
    assert.deepEqual(changes, []);
    wait(31);
    assert.deepEqual([changes, errors.length], [[polled, polled], 1]);
  });
}

test("a full canvas: the watch tries again after 1, 2, 4 and 8 minutes, and polls until it is confirmed", (t) => {
  const { changes, errors, attempts, wait, fail, confirm } = open(t);
  fail(full);
  for (const minutes of [1, 2, 4, 8, 8]) {
    const before = attempts();
    wait(minutes * 60 - 1);
    assert.equal(attempts(), before);
    wait(1);
    assert.equal(attempts(), before + 1);
    fail(full);
  }
  wait(8 * 60);
  changes.splice(0);
  confirm();
  wait(600);
  assert.deepEqual([changes, errors], [[{ op: "resync" }], [full]]);
  fail(full);
  assert.deepEqual([changes.at(-1), errors], [polled, [full, full]]);
});

test("no connection at the start: the handler is called after two seconds, and then every half minute", (t) => {
  const { changes, errors, wait, drop, confirm } = open(t);
  drop();
  wait(2);
  assert.deepEqual(changes, [polled]);
  wait(60);
  assert.deepEqual(changes.splice(0), [polled, polled, polled]);
  confirm();
  wait(600);
  assert.deepEqual([changes, errors], [[{ op: "resync" }], []]);
});

test("a connection that is lost: half a minute later the handler is called, until it is back", (t) => {
  const { changes, wait, drop, confirm } = open(t);
  confirm();
  changes.splice(0);
  drop();
  drop();
  wait(29);
  assert.deepEqual(changes, []);
  wait(31);
  assert.deepEqual(changes.splice(0), [polled, polled]);
  confirm();
  wait(600);
  assert.deepEqual(changes, []);
});

test("access that has ended ends the watch", (t) => {
  const { changes, errors, attempts, wait, fail } = open(t);
  const error = toError(401, { message: "m" });
  fail(error);
  wait(3_600);
  assert.deepEqual([changes, errors, attempts()], [[], [error], 1]);
});

test("a stopped watch neither polls nor connects, also if a handler has stopped it", (t) => {
  const page = open(t);
  page.fail(full);
  page.stop();
  page.changes.splice(0);
  page.wait(3_600);
  assert.deepEqual([page.changes, page.attempts()], [[], 1]);
  const stop = page.watch(
    TASKS,
    () => assert.fail("not told"),
    () => stop(),
  );
  page.fail(full);
  page.wait(3_600);
  assert.equal(page.attempts(), 2);
});

test("a handler that is added while the watch polls is called as well", async (t) => {
  const { changes, start, fail } = open(t);
  fail(full);
  changes.splice(0);
  start();
  await Promise.resolve();
  assert.deepEqual(changes, [polled]);
});

test("a handler that is added two seconds after the canvas was full tries to connect, and all are told", async (t) => {
  const { errors, attempts, start, wait, fail, confirm } = open(t);
  fail(full);
  start();
  wait(2);
  start();
  assert.deepEqual(
    [errors.splice(0), attempts()],
    [[full], 1],
    "a page that starts again at each error does not loop",
  );
  wait(1);
  start();
  start();
  assert.deepEqual([errors, attempts()], [[], 2]);
  fail(full);
  assert.deepEqual(errors.splice(0), Array(5).fill(full));
  wait(3);
  start();
  confirm();
  start();
  wait(120);
  assert.deepEqual([errors, attempts()], [[], 3]);
});

test("writes of the page are told without a connection, and come from the service with one", (t) => {
  const { watch, changes, fail, confirm, wait } = open(t);
  fail(full);
  changes.splice(0);
  watch.wrote({ resource: "kv" }, { op: "set", key: "task:1", value: 1 });
  watch.wrote({ resource: "kv" }, { op: "set", key: "other", value: 1 });
  watch.wrote({ resource: "kv.user" }, { op: "set", key: "task:1", value: 1 });
  watch.wrote({ resource: "collection", name: "task:" }, { op: "delete", id: "task:1" });
  assert.deepEqual(changes.splice(0), [{ op: "set", key: "task:1", value: 1 }]);
  wait(60);
  confirm();
  changes.splice(0);
  watch.wrote({ resource: "kv" }, { op: "set", key: "task:1", value: 2 });
  assert.deepEqual(changes, []);
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { EaselError } from "../src/errors.ts";
import { createLiveValue } from "../src/live/live-value.ts";
import { FakeCanvas } from "./fake-canvas.ts";
import { settle } from "./settle.ts";

/** Opens the value of `tea`, as a mounted component does. */
async function open(t: TestContext, canvas = new FakeCanvas()) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const value = createLiveValue(canvas.kv, "tea");
  const seen: unknown[] = [];
  const close = value.subscribe(() => seen.push(value.getState().data));
  await settle(t);
  canvas.requests.splice(0);
  seen.splice(0);
  return { canvas, value, seen, close, state: value.getState };
}

test("a value is read once, when the watch has begun, for all of its components", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const canvas = new FakeCanvas();
  canvas.values.set("tea", 3);
  const value = createLiveValue(canvas.kv, "tea");
  assert.deepEqual(value.getState(), { data: undefined, error: undefined, isLoading: true });
  const stops = [1, 2, 3].map(() => value.subscribe(() => {}));
  await settle(t);
  assert.deepEqual([canvas.watches, canvas.requests], [1, ["get tea"]]);
  assert.deepEqual(value.getState(), { data: 3, error: undefined, isLoading: false });
  for (const stop of stops.slice(0, 2)) stop();
  await settle(t);
  assert.equal(canvas.watches, 1);
  stops[2]?.();
  await settle(t);
  assert.equal(canvas.watches, 0);
});

test("a value is read without the watch if that takes long, and again when the watch begins", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const canvas = new FakeCanvas();
  canvas.isInstant = false;
  const value = createLiveValue(canvas.kv, "tea");
  value.subscribe(() => {});
  await settle(t, 200);
  assert.deepEqual(canvas.requests, []);
  await settle(t, 100);
  assert.deepEqual(canvas.requests, ["get tea"]);
  canvas.isInstant = true;
  for (const step of canvas.steps.splice(0)) step();
  await settle(t);
  assert.deepEqual(canvas.requests, ["get tea", "get tea"]);
});

test("a component that is removed and added at once, as StrictMode does, keeps the watch", async (t) => {
  const { canvas, value, close } = await open(t);
  close();
  value.subscribe(() => {});
  await settle(t);
  assert.deepEqual([canvas.watches, canvas.requests], [1, []]);
});

test("a value that is shown again is read again, and shows the old data meanwhile", async (t) => {
  const { canvas, value, close, state } = await open(t);
  canvas.put("tea", "old");
  await settle(t);
  close();
  await settle(t);
  canvas.put("tea", "new");
  await settle(t);
  assert.equal(state().data, "old");
  value.subscribe(() => {});
  assert.deepEqual(state(), { data: "old", error: undefined, isLoading: false });
  await settle(t);
  assert.equal(state().data, "new");
});

test("a burst of changes is read once; other keys are not read", async (t) => {
  const { canvas, state } = await open(t);
  for (let at = 1; at <= 20; at++) canvas.put("tea", at);
  canvas.put("teapot", 1);
  await settle(t);
  assert.deepEqual([canvas.requests, state().data], [["get tea"], 20]);
  canvas.put("teapot", 2);
  await settle(t);
  assert.deepEqual(canvas.requests, ["get tea"]);
  canvas.reconnect();
  await settle(t);
  assert.deepEqual(canvas.requests, ["get tea", "get tea"]);
});

test("equal data stays the same object, and equal parts of other data do", async (t) => {
  const { canvas, seen, state } = await open(t);
  canvas.put("tea", { cups: [{ of: "tea" }], at: 4 });
  await settle(t);
  const first = state().data as { cups: object };
  canvas.put("tea", { at: 4, cups: [{ of: "tea" }] });
  await settle(t);
  assert.equal(state().data, first);
  assert.equal(seen.length, 1);
  canvas.put("tea", { cups: [{ of: "tea" }], at: 5 });
  await settle(t);
  assert.notEqual(state().data, first);
  assert.equal((state().data as { cups: object }).cups, first.cups);
});

test("a write is shown at once and sent once, and its own change is read together with it", async (t) => {
  const { canvas, value, seen } = await open(t);
  const written = value.set("green");
  assert.deepEqual(seen, ["green"]);
  await settle(t);
  await written;
  assert.deepEqual(canvas.requests, ["set tea", "get tea"]);
  assert.deepEqual(seen, ["green"]);
});

test("writes are sent in order, one after the other", async (t) => {
  const { canvas, value, state } = await open(t);
  const sums = [value.increment(), value.increment(4), value.set("none"), value.remove(), value.increment(2)];
  assert.equal(state().data, 2);
  assert.deepEqual(canvas.requests, []);
  await settle(t);
  assert.deepEqual(await Promise.all(sums), [1, 5, undefined, undefined, 2]);
  assert.deepEqual(canvas.requests, [
    "increment tea",
    "increment tea",
    "set tea",
    "delete tea",
    "increment tea",
    "get tea",
  ]);
});

test("an increment is shown once while its change frame comes before its response", async (t) => {
  const { canvas, value, seen } = await open(t);
  canvas.isInstant = false;
  value.increment();
  await settle(t);
  canvas.steps.shift()?.();
  const [frame, answer] = canvas.steps.splice(0);
  frame?.();
  await settle(t);
  assert.deepEqual(canvas.steps, []);
  answer?.();
  canvas.isInstant = true;
  await settle(t);
  assert.deepEqual(seen, [1]);
  assert.deepEqual(canvas.requests, ["increment tea", "get tea"]);
});

test("a read that began before a write does not take it back", async (t) => {
  const { canvas, value, seen } = await open(t);
  canvas.put("tea", 1);
  await settle(t);
  canvas.isInstant = false;
  canvas.put("tea", 10);
  canvas.steps.shift()?.();
  await settle(t);
  const [readArrives] = canvas.steps.splice(0);
  value.increment();
  readArrives?.();
  await settle(t);
  canvas.isInstant = true;
  for (const step of canvas.steps.splice(0).toReversed()) step();
  await settle(t);
  assert.deepEqual(canvas.requests, ["get tea", "get tea", "increment tea", "get tea"]);
  assert.deepEqual(seen, [1, 2, 11]);
});

test("a read that is due while a write is unanswered waits for the response", async (t) => {
  const { canvas, value, seen } = await open(t);
  canvas.put("tea", 5);
  // The change frame arrives and schedules a read.
  await new Promise(setImmediate);
  canvas.isInstant = false;
  value.increment();
  await settle(t);
  assert.deepEqual(canvas.requests, ["increment tea"]);
  canvas.isInstant = true;
  for (const step of canvas.steps.splice(0)) step();
  await settle(t);
  assert.deepEqual(canvas.requests, ["increment tea", "get tea"]);
  assert.equal(seen.at(-1), 6);
});

test("a change that comes during a read is read after it", async (t) => {
  const { canvas, state } = await open(t);
  canvas.isInstant = false;
  canvas.put("tea", 1);
  canvas.steps.shift()?.();
  await settle(t);
  canvas.steps.shift()?.();
  canvas.put("tea", 2);
  canvas.steps.pop()?.();
  await settle(t);
  assert.deepEqual(canvas.requests, ["get tea"]);
  canvas.isInstant = true;
  canvas.steps.shift()?.();
  await settle(t);
  assert.deepEqual([canvas.requests, state().data], [["get tea", "get tea"], 2]);
});

test("a write is shown also where no change frame comes, and is not read", async (t) => {
  const { canvas, value } = await open(t);
  canvas.endWatches(new EaselError({ status: 403, code: "CAPABILITY_DISABLED" }));
  await settle(t);
  canvas.requests.splice(0);
  value.set("green");
  await settle(t);
  assert.deepEqual(canvas.requests, ["set tea"]);
});

test("a refused write goes back, sets the error and rejects; the next write clears the error", async (t) => {
  const { canvas, value, seen, state } = await open(t);
  canvas.put("tea", "black");
  await settle(t);
  canvas.fate = "refuse";
  const refused = value.set("green");
  value.increment();
  await settle(t);
  await assert.rejects(refused, { code: "PERMISSION_DENIED" });
  assert.deepEqual([...new Set(seen)], ["black", "green"]);
  assert.equal(state().data, "black");
  assert.equal(state().error?.code, "NOT_NUMERIC");
  value.set("white");
  assert.equal(state().error, undefined);
  await settle(t);
  assert.deepEqual(state(), { data: "white", error: undefined, isLoading: false });
});

test("a write whose response is lost is not sent again, and the value is read", async (t) => {
  const { canvas, value, state } = await open(t);
  canvas.fate = "break";
  const broken = value.increment();
  await settle(t);
  await assert.rejects(broken, { status: 0 });
  assert.equal(state().data, 1);
  assert.deepEqual(canvas.requests, ["increment tea", "get tea"]);
});

test("an error of the watch is shown beside the data, and refetch watches again", async (t) => {
  const { canvas, value, state } = await open(t);
  canvas.put("tea", 1);
  await settle(t);
  canvas.endWatches(new EaselError({ status: 403, code: "CAPABILITY_DISABLED" }));
  assert.deepEqual([state().data, state().error?.code], [1, "CAPABILITY_DISABLED"]);
  canvas.put("tea", 2);
  value.refetch();
  await settle(t);
  assert.deepEqual(state(), { data: 2, error: undefined, isLoading: false });
  assert.equal(canvas.watches, 1);
});

test("an error of a read is shown beside the old data, until a read succeeds", async (t) => {
  const { canvas, value, state } = await open(t);
  canvas.put("tea", 1);
  await settle(t);
  const { get } = canvas.kv;
  canvas.kv.get = () => Promise.reject(new EaselError({ status: 503 }));
  canvas.put("tea", 2);
  await settle(t);
  assert.deepEqual([state().data, state().error?.status], [1, 503]);
  canvas.kv.get = get;
  value.refetch();
  await settle(t);
  assert.deepEqual(state(), { data: 2, error: undefined, isLoading: false });
});

test("a canvas that the address does not name is an error, not an exception", async (t) => {
  const canvas = new FakeCanvas();
  canvas.kv.watch = () => {
    throw new EaselError({ status: 0 });
  };
  canvas.kv.get = () => Promise.reject(new EaselError({ status: 0 }));
  const { state } = await open(t, canvas);
  assert.deepEqual([state().error?.status, state().isLoading], [0, false]);
});

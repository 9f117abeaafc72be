import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Json } from "@easel/protocol/types";
import { EaselError } from "../src/errors.ts";
import { createLiveRecords } from "../src/live/live-records.ts";
import type { RecordQuery } from "../src/live/record-reader.ts";
import { FakeCanvas } from "./fake-canvas.ts";
import { settle } from "./settle.ts";

/** Opens the records of a collection that has some values, as a mounted component does. */
async function open(t: TestContext, values: Json[] = [], query: RecordQuery = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const canvas = new FakeCanvas();
  for (const value of values) canvas.createRecord(value);
  const records = createLiveRecords(canvas.collection, query, () => "u-1");
  const all = () => records.getState().data.records;
  const shown = () => all().map(({ value }) => value);
  const seen: Json[][] = [];
  const close = records.subscribe(() => seen.push(shown()));
  await settle(t);
  canvas.requests.splice(0);
  seen.splice(0);
  const ids = canvas.records.map(({ id }) => id);
  const at = (index: number) => ids[index] ?? "";
  return { canvas, records, all, shown, seen, close, at, state: records.getState };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test("records are read once, in order of creation", async (t) => {
  const { canvas, shown, state } = await open(t, ["tea", "coffee"]);
  assert.deepEqual(shown(), ["tea", "coffee"]);
  assert.deepEqual([state().isLoading, state().data.cursor, canvas.watches], [false, null, 1]);
});

test("records are read without the watch if that takes long", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const canvas = new FakeCanvas();
  canvas.isInstant = false;
  createLiveRecords(canvas.collection, {}, () => undefined).subscribe(() => {});
  await settle(t, 300);
  assert.deepEqual(canvas.requests, ["list 100"]);
});

test("a change reads the changed record only, and the other records stay the same objects", async (t) => {
  const { canvas, all, shown, at, state } = await open(t, ["tea", "coffee", "milk"]);
  const before = all();
  canvas.changeRecord(at(1), "cocoa");
  await settle(t);
  assert.deepEqual(canvas.requests, [`get ${at(1)}`]);
  assert.deepEqual(shown(), ["tea", "cocoa", "milk"]);
  assert.deepEqual([all()[0] === before[0], all()[2] === before[2]], [true, true]);
  canvas.reconnect();
  const after = state();
  await settle(t);
  assert.equal(state(), after);
});

test("what a failed read should have read is read with the next change", async (t) => {
  const { canvas, shown, at, state } = await open(t, ["tea", "coffee"]);
  const { get } = canvas.collection;
  canvas.collection.get = () => Promise.reject(new EaselError({ status: 503 }));
  canvas.changeRecord(at(0), "cocoa");
  await settle(t);
  assert.deepEqual([shown(), state().error?.status], [["tea", "coffee"], 503]);
  canvas.collection.get = get;
  canvas.changeRecord(at(1), "milk");
  await settle(t);
  assert.deepEqual([shown(), state().error], [["cocoa", "milk"], undefined]);
});

test("a new record of another person is read alone and comes to its place; a deleted one is not read", async (t) => {
  for (const [orderBy, expected] of [
    ["createdAt", ["coffee", "milk"]],
    ["-createdAt", ["milk", "coffee"]],
  ] as const) {
    const { canvas, shown, at } = await open(t, ["tea", "coffee"], { orderBy });
    const { id } = canvas.createRecord("milk");
    canvas.deleteRecord(at(0));
    await settle(t);
    assert.deepEqual([canvas.requests, shown()], [[`get ${id}`], expected]);
    t.mock.timers.reset();
  }
});

test("many changes at once are read as one list", async (t) => {
  const { canvas, shown } = await open(t, ["tea"]);
  for (const value of numbers(50)) canvas.createRecord(value);
  await settle(t);
  assert.deepEqual(canvas.requests, ["list 100"]);
  assert.deepEqual(shown(), ["tea", ...numbers(50)]);
});

test("with a filter or another order, the service decides what belongs to the list", async (t) => {
  for (const query of [{ where: { "value.done": false } }, { orderBy: "-updatedAt" }]) {
    const { canvas, at } = await open(t, [1, 2, 3], query);
    canvas.changeRecord(at(0), 4);
    canvas.deleteRecord(at(1));
    await settle(t);
    assert.deepEqual(canvas.requests, ["list 100"]);
    canvas.deleteRecord(at(2));
    await settle(t);
    assert.deepEqual(canvas.requests, ["list 100"]);
    t.mock.timers.reset();
  }
});

test("pages are added one by one, and all of them are read again after a reconnect", async (t) => {
  const { canvas, records, shown, state, at } = await open(t, numbers(25), { limit: 10 });
  assert.deepEqual(shown(), numbers(10));
  canvas.isInstant = false;
  records.loadMore();
  await settle(t);
  records.loadMore();
  canvas.isInstant = true;
  for (const step of canvas.steps.splice(0)) step();
  await settle(t);
  assert.deepEqual([canvas.requests.splice(0), shown()], [["list 10"], numbers(20)]);
  canvas.changeRecord(at(24), "beyond the pages");
  canvas.createRecord("new");
  await settle(t);
  assert.deepEqual(canvas.requests, []);
  canvas.reconnect();
  await settle(t);
  assert.deepEqual([canvas.requests.splice(0), shown()], [["list 20"], numbers(20)]);
  assert.notEqual(state().data.cursor, null);
  records.loadMore();
  await settle(t);
  assert.deepEqual(canvas.requests.splice(0), ["list 10"]);
  assert.deepEqual(shown(), [...numbers(24), "beyond the pages", "new"]);
  assert.equal(state().data.cursor, null);
  records.loadMore();
  await settle(t);
  assert.deepEqual(canvas.requests, []);
});

test("more than 1000 records are read again in several requests", async (t) => {
  const { canvas, records, shown } = await open(t, numbers(1500), { limit: 1000 });
  records.loadMore();
  await settle(t);
  canvas.requests.splice(0);
  canvas.reconnect();
  await settle(t);
  assert.deepEqual(canvas.requests, ["list 1000", "list 500"]);
  assert.deepEqual(shown(), numbers(1500));
});

test("a new record is shown at once and replaced by the service's; its key stays", async (t) => {
  const { canvas, records, all, seen } = await open(t, ["tea"]);
  const created = records.create("coffee");
  const [, draft] = all();
  assert.deepEqual([draft?.value, draft?.authorId, draft?.isPending], ["coffee", "u-1", true]);
  await settle(t);
  const { id } = await created;
  assert.deepEqual({ ...all()[1] }, { ...canvas.records[1], id, key: draft?.key, isPending: false });
  assert.ok(seen.every((values) => values.length === 2));
  assert.deepEqual(canvas.requests, ["create", `get ${id}`]);
  canvas.changeRecord(id, "cocoa");
  await settle(t);
  assert.deepEqual([all()[1]?.key, all()[1]?.value], [draft?.key, "cocoa"]);
});

test("a new record is first where the order is descending", async (t) => {
  const { records, shown } = await open(t, ["tea"], { orderBy: "-createdAt" });
  records.create("coffee");
  assert.deepEqual(shown(), ["coffee", "tea"]);
  await settle(t);
  assert.deepEqual(shown(), ["coffee", "tea"]);
});

test("writes of a record that is not confirmed yet are sent with its id, in order", async (t) => {
  const { canvas, records, all, shown } = await open(t, ["tea"]);
  records.create(1);
  const key = all()[1]?.key ?? "";
  records.increment(key);
  records.update(key, 5);
  records.increment(key, 2);
  assert.deepEqual(shown(), ["tea", 7]);
  records.remove(key);
  assert.deepEqual(shown(), ["tea"]);
  await settle(t);
  assert.deepEqual(shown(), ["tea"]);
  assert.deepEqual(
    canvas.requests.map((name) => name.split(" ")[0]),
    ["create", "increment", "update", "increment", "delete"],
  );
  assert.equal(canvas.records.length, 1);
});

test("refused writes go back, each without the others", async (t) => {
  const { canvas, records, shown, seen, state, at } = await open(t, ["tea", "coffee"]);
  for (const write of [
    () => records.create("milk"),
    () => records.update(at(0), "cocoa"),
    () => records.increment(at(0)),
    () => records.remove(at(1)),
  ]) {
    canvas.fate = "refuse";
    const refused = write();
    const kept = records.update(at(1), "water");
    seen.splice(0);
    await settle(t);
    assert.ok(seen.every((values) => values.includes("water") || values.length < 2));
    await assert.rejects(refused, { code: "PERMISSION_DENIED" });
    await kept;
    assert.deepEqual(shown(), ["tea", "water"]);
    assert.equal(state().error?.code, "PERMISSION_DENIED");
  }
});

test("a write of a record whose creation is refused is not sent", async (t) => {
  const { canvas, records, all, shown } = await open(t);
  canvas.fate = "refuse";
  const results = [records.create("tea"), records.update(all()[0]?.id ?? "", "coffee")];
  await settle(t);
  for (const result of results) await assert.rejects(result, { code: "PERMISSION_DENIED" });
  assert.deepEqual([canvas.requests, shown()], [["create"], []]);
});

test("a record that somebody deletes while a write is under way goes", async (t) => {
  const { canvas, records, shown, at } = await open(t, ["tea", "coffee"]);
  const refused = records.update(at(0), "cocoa");
  canvas.deleteRecord(at(0));
  await settle(t);
  await assert.rejects(refused, { code: "NOT_FOUND" });
  assert.deepEqual(shown(), ["coffee"]);
});

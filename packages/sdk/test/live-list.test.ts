import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Json } from "@easel/protocol/types";
import type { CollectionRecord } from "../src/collections.ts";
import { EaselError } from "../src/errors.ts";
import { createMapSource, type Values } from "../src/live/live-map.ts";
import { createRecordsSource, type RecordQuery } from "../src/live/record-reader.ts";
import { startLive } from "../src/live/start-live.ts";
import { FakeCanvas } from "./fake-canvas.ts";
import { settle } from "./settle.ts";

/** Shows the records of a collection that has some values. The change frames have the records. */
async function openRecords(t: TestContext, values: Json[] = [], query: RecordQuery = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const canvas = Object.assign(new FakeCanvas(), { isSmall: true });
  const records = values.map((value) => canvas.createRecord(value));
  await settle(t, 0);
  const shown: CollectionRecord[][] = [];
  const errors: EaselError[] = [];
  const source = createRecordsSource(canvas.collection, query);
  const stop = startLive(
    source,
    ({ records }) => shown.push(records),
    (error) => errors.push(error),
  );
  await settle(t);
  canvas.requests.splice(0);
  const last = () => shown.at(-1)?.map(({ value }) => value);
  return { canvas, shown, last, errors, stop, at: (index: number) => records[index]?.id ?? "" };
}

/** Shows the values of all keys. */
async function openValues(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const canvas = Object.assign(new FakeCanvas(), { isSmall: true });
  canvas.values.set("votes:tea", 1);
  const shown: Values[] = [];
  startLive(
    createMapSource(canvas.kv, "votes:"),
    (values) => shown.push(values),
    (error) => assert.fail(error),
  );
  await settle(t);
  canvas.requests.splice(0);
  return { canvas, shown, last: () => Object.fromEntries(shown.at(-1) ?? []) };
}

test("an empty list is shown once it is read", async (t) => {
  const { shown, errors } = await openRecords(t);
  assert.deepEqual([shown, errors], [[[]], []]);
});

test("an empty list is shown once it is read, also if the watch has failed before", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const canvas = Object.assign(new FakeCanvas(), { isInstant: false });
  const shown: Values[] = [];
  const errors: EaselError[] = [];
  startLive(
    createMapSource(canvas.kv, "votes:"),
    (values) => shown.push(values),
    (error) => errors.push(error),
  );
  canvas.endWatches(new EaselError({ status: 429, code: "CONNECTION_LIMIT" }));
  assert.deepEqual([errors.map(({ code }) => code), shown], [["CONNECTION_LIMIT"], []]);
  // The frame that confirms the watch never arrives; the responses do.
  canvas.isInstant = true;
  await settle(t);
  assert.deepEqual(shown, [new Map()]);
});

test("changes with records are shown at once, in order of creation, and nothing is read", async (t) => {
  for (const [orderBy, expected] of [
    ["createdAt", ["cocoa", "milk"]],
    ["-createdAt", ["milk", "cocoa"]],
  ] as const) {
    const { canvas, shown, last, at } = await openRecords(t, ["tea", "coffee"], { orderBy });
    canvas.changeRecord(at(1), "cocoa");
    canvas.createRecord("milk");
    canvas.deleteRecord(at(0));
    await settle(t, 0);
    assert.deepEqual(last(), expected);
    await settle(t, 30_000);
    assert.deepEqual([canvas.requests, shown.length], [[], 4]);
    t.mock.timers.reset();
  }
});

test("a record that has not changed stays the same object", async (t) => {
  const { canvas, shown, at } = await openRecords(t, ["tea", "coffee"]);
  canvas.changeRecord(at(1), "cocoa");
  await settle(t);
  assert.equal(shown.length, 2);
  assert.equal(shown[0]?.[0], shown[1]?.[0]);
});

test("140 changes of one record within a minute cause one read every five seconds, and each is shown", async (t) => {
  const { canvas, shown, last, at } = await openRecords(t, [0]);
  for (let votes = 1; votes <= 140; votes++) {
    canvas.changeRecord(at(0), votes);
    await settle(t, 420);
    assert.deepEqual(last(), [votes]);
  }
  await settle(t, 10_000);
  assert.equal(shown.length, 141);
  assert.ok(canvas.requests.length <= 13, `${canvas.requests.length} reads`);
  assert.deepEqual(new Set(canvas.requests), new Set([`get ${at(0)}`]));
});

test("140 changes of a list with another order cause five reads at once, then one every five seconds", async (t) => {
  const { canvas, last, at } = await openRecords(t, [0, 1], { orderBy: "-value.votes" });
  for (let votes = 1; votes <= 140; votes++) {
    canvas.changeRecord(at(0), votes);
    await settle(t, 420);
    assert.ok(last()?.includes(votes));
  }
  await settle(t, 10_000);
  assert.ok(canvas.requests.length <= 18, `${canvas.requests.length} reads`);
  assert.deepEqual(new Set(canvas.requests), new Set(["list 100"]));
});

test("records that are too large for a change are read, at the pace of a list", async (t) => {
  const { canvas, last, at } = await openRecords(t, [0]);
  canvas.isSmall = false;
  canvas.changeRecord(at(0), "large");
  await settle(t);
  assert.deepEqual([last(), canvas.requests], [["large"], [`get ${at(0)}`]]);
  for (let count = 0; count < 50; count++) {
    canvas.changeRecord(at(0), count);
    await settle(t);
  }
  await settle(t, 6_000);
  assert.deepEqual(last(), [49]);
  assert.ok(canvas.requests.length <= 7, `${canvas.requests.length} reads`);
});

test("changes of two writes that overtake each other are read once more", async (t) => {
  const { canvas, last, at } = await openRecords(t, [0]);
  Object.assign(canvas, { isInstant: false, isUnordered: true });
  canvas.changeRecord(at(0), "first");
  canvas.changeRecord(at(0), "second");
  const [first, second] = canvas.steps.splice(0);
  second?.();
  first?.();
  await settle(t);
  assert.deepEqual(last(), ["first"]);
  canvas.isInstant = true;
  await settle(t, 6_000);
  assert.deepEqual([last(), canvas.requests], [["second"], [`get ${at(0)}`]]);
});

test("an error of a read goes to `onError`, and the next change is shown", async (t) => {
  const { canvas, last, errors, at } = await openRecords(t, ["tea"]);
  const { list } = canvas.collection;
  canvas.collection.list = () => Promise.reject(new EaselError({ status: 503 }));
  canvas.reconnect();
  await settle(t);
  assert.deepEqual([errors.map(({ status }) => status), last()], [[503], ["tea"]]);
  canvas.collection.list = list;
  canvas.changeRecord(at(0), "cocoa");
  await settle(t, 10_000);
  assert.deepEqual([errors.length, last()], [1, ["cocoa"]]);
});

test("after the end nothing is shown, read or watched", async (t) => {
  const { canvas, shown, stop, at } = await openRecords(t, ["tea"]);
  stop();
  canvas.changeRecord(at(0), "cocoa");
  await settle(t);
  assert.deepEqual([shown.length, canvas.requests, canvas.watches], [1, [], 0]);
});

test("keys are shown with their values, in order; a change with a value is not read", async (t) => {
  const { canvas, shown, last } = await openValues(t);
  assert.deepEqual(last(), { "votes:tea": 1 });
  canvas.put("votes:tea", 2);
  canvas.put("votes:coffee", 1);
  await settle(t, 0);
  assert.deepEqual(
    [...(shown.at(-1) ?? [])],
    [
      ["votes:coffee", 1],
      ["votes:tea", 2],
    ],
  );
  canvas.put("votes:coffee", undefined);
  await settle(t, 0);
  assert.deepEqual(last(), { "votes:tea": 2 });
  assert.deepEqual(canvas.requests, []);
});

test("large values are read one by one; after a lost connection, the list is", async (t) => {
  const { canvas, last } = await openValues(t);
  canvas.isSmall = false;
  canvas.put("votes:tea", "large");
  await settle(t);
  assert.deepEqual([last(), canvas.requests.splice(0)], [{ "votes:tea": "large" }, ["get votes:tea"]]);
  canvas.reconnect();
  await settle(t);
  assert.deepEqual(canvas.requests, ["list 1000"]);
});

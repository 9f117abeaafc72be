import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "@easel/protocol/types";
import type { KvChange } from "@easel/sdk";
import { compareKeys, createKeyList, PAGE, rowOf, type Source } from "./key-list.ts";

const settled = () => new Promise((resolve) => setTimeout(resolve));

/** A scope in memory. `reads` are the cursors of the lists that were read; `hold` makes the next one wait. */
function scopeOf(initial: Record<string, Json>) {
  const stored = new Map(Object.entries(initial));
  const reads: (string | null)[] = [];
  let handler: (change: KvChange | { op: "resync" }) => void = () => {};
  let held: Promise<void> = Promise.resolve();
  const source = {
    async list({ prefix = "", cursor = null, limit = 100 } = {}) {
      reads.push(cursor);
      const keys = [...stored.keys()].filter((key) => key.startsWith(prefix)).sort(compareKeys);
      const after = keys.filter((key) => cursor === null || compareKeys(key, cursor) > 0);
      const page = after.slice(0, limit).map((key) => ({ key, value: stored.get(key) as Json }));
      await held;
      return { entries: page, nextCursor: after.length > limit ? (page.at(-1)?.key ?? null) : null };
    },
    get: async (key: string) => stored.get(key),
    watch(_prefix: string, onChange: typeof handler) {
      handler = onChange;
      return () => {};
    },
  } as unknown as Source;
  return {
    source,
    stored,
    reads,
    tell: (change: KvChange | { op: "resync" }) => handler(change),
    hold() {
      let go = () => {};
      held = new Promise((resolve) => {
        go = resolve;
      });
      return () => go();
    },
  };
}

async function started(initial: Record<string, Json>, prefix = "") {
  const scope = scopeOf(initial);
  const list = createKeyList(scope.source, prefix);
  const stop = list.start();
  scope.tell({ op: "resync" });
  await settled();
  return { ...scope, list, stop, keys: () => list.getState().rows.map(({ id }) => id) };
}

it("keys have the order of their bytes, as the service sorts them", () => {
  const keys = ["", "a", "a:", "b", "é", "\uffff", "\u{1f375}", "z", "Z", "a\u{1f375}"];
  const bytes = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  assert.deepEqual(keys.toSorted(compareKeys), bytes);
});

it("a row has the first line of a value, however large it is, and its size as JSON", () => {
  assert.deepEqual(rowOf("k", "one\ntwo"), { id: "k", line: "one…", bytes: 10 });
  assert.deepEqual(rowOf("k", { é: [1] }), { id: "k", line: '{"é":[1]}', bytes: 10 });
  assert.deepEqual(rowOf("k", ""), { id: "k", line: "", bytes: 2 });
  const large = rowOf("k", "x".repeat(60_000));
  assert.equal(large.line, `${"x".repeat(200)}…`);
  assert.equal(large.bytes, 60_002);
});

it("is read page by page, and goes to the end on request", async () => {
  const many = Object.fromEntries(Array.from({ length: 1_450 }, (_, index) => [`k${10_000 + index}`, index]));
  const { list, keys, reads } = await started(many);
  assert.equal(keys().length, PAGE);
  assert.equal(list.getState().hasMore, true);
  list.more();
  await settled();
  assert.equal(keys().length, 2 * PAGE);
  assert.equal(await list.readAll(), "k11449");
  assert.equal(keys().length, 1_450);
  assert.equal(list.getState().hasMore, false);
  assert.equal(reads.length, 4);
});

it("follows what others write: in its place, marked, and beyond the end only when it comes there", async () => {
  const { list, keys, tell, stored } = await started({ a: 1, c: 3 });
  const heard: unknown[] = [];
  list.onChange((key, value) => heard.push([key, value]));
  stored.set("large", "read for itself");
  tell({ op: "set", key: "b", value: 2 });
  tell({ op: "set", key: "a", value: 9 });
  tell({ op: "set", key: "large" });
  tell({ op: "delete", key: "c" });
  await settled();
  assert.deepEqual(keys(), ["a", "b", "large"]);
  assert.deepEqual(
    list.getState().rows.map(({ line, mark }) => [line, mark === undefined]),
    [
      ["9", false],
      ["2", false],
      ["read for itself", false],
    ],
  );
  assert.deepEqual(heard.at(-1), ["large", "read for itself"]);
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${1_000 + index}`, index]));
  const long = await started(many);
  long.tell({ op: "set", key: "z", value: 1 });
  await settled();
  assert.equal(long.keys().at(-1), "k1199");
});

it("a change that comes during a read is not undone by it", async () => {
  const { list, keys, tell, stored, hold } = await started({ a: 1, b: 2 });
  const go = hold();
  const read = list.refresh();
  await settled();
  stored.delete("a");
  tell({ op: "delete", key: "a" });
  tell({ op: "set", key: "b", value: "newer" });
  await settled();
  go();
  await read;
  assert.deepEqual(keys(), ["b"]);
  assert.equal(list.getState().rows[0]?.line, "newer");
});

it("a row that has not changed stays the same object, and an error leaves what was read", async () => {
  const scope = await started({ a: 1, b: 2 });
  const before = scope.list.getState().rows;
  scope.stored.set("b", 3);
  await scope.list.refresh();
  const after = scope.list.getState().rows;
  assert.equal(after[0], before[0]);
  assert.equal(after[1]?.line, "3");
  scope.source.list = async () => {
    throw new Error("Not now.");
  };
  await scope.list.refresh();
  assert.equal(scope.list.getState().error?.message, "Not now.");
  assert.deepEqual(scope.keys(), ["a", "b"]);
  scope.list.put("c", true);
  assert.deepEqual(scope.keys(), ["a", "b", "c"]);
});

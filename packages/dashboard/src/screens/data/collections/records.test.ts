import assert from "node:assert/strict";
import { it } from "node:test";
import type { Json } from "@easel/protocol/types";
import type { CollectionRecord, RecordChange } from "@easel/sdk";
import type { Condition } from "./conditions.ts";
import { createRecordList, type RecordList, rowOf } from "./records.ts";

const record = (number: number, value: Json = { n: number }, updatedAt = number): CollectionRecord => ({
  id: String(number).padStart(5, "0"),
  authorId: `u${number % 3}`,
  value,
  updatedAt,
});

/** A collection of the service: its records by id, and what was asked of it. */
function fakeCollection(count: number) {
  const stored = new Map(Array.from({ length: count }, (_, at) => [record(at).id, record(at)]));
  const lists: { limit?: number | undefined; cursor?: string | null | undefined }[] = [];
  const gets: string[] = [];
  let handler: (change: RecordChange) => void = () => {};
  let refusal: Error | null = null;
  /** What happens while the service reads. */
  let meanwhile = () => {};
  const set = (changed: CollectionRecord) => {
    stored.set(changed.id, changed);
    handler({ op: "set", id: changed.id, record: changed });
  };
  return {
    stored,
    lists,
    gets,
    set,
    change: (change: RecordChange) => handler(change),
    remove(id: string) {
      stored.delete(id);
      handler({ op: "delete", id });
    },
    refuse: (error: Error | null) => {
      refusal = error;
    },
    during: (run: () => void) => {
      meanwhile = run;
    },
    source: {
      async list({
        cursor = null,
        limit = 100,
        orderBy,
      }: {
        cursor?: string | null;
        limit?: number;
        orderBy?: string;
      } = {}) {
        lists.push({ limit, cursor });
        if (refusal !== null) throw refusal;
        const all = [...stored.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
        if (orderBy === "-createdAt") all.reverse();
        const from = cursor === null ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
        const entries = all.slice(from, from + limit);
        meanwhile();
        meanwhile = () => {};
        return {
          entries,
          nextCursor: from + limit < all.length ? (entries.at(-1)?.id ?? null) : null,
        } as never;
      },
      async get(id: string) {
        gets.push(id);
        return stored.get(id) as never;
      },
      watch(to: (change: RecordChange) => void) {
        handler = to;
        queueMicrotask(() => to({ op: "resync" }));
        return () => {
          handler = () => {};
        };
      },
    },
  };
}

/** Resolves when a list shows what `check` expects. */
const when = (list: RecordList, check: () => boolean) =>
  new Promise<void>((resolve) => {
    const stop = list.subscribe(() => {
      if (!check()) return;
      stop();
      resolve();
    });
    if (check()) resolve();
  });

async function started(count: number, order = "-createdAt", conditions: Condition[] = []) {
  const collection = fakeCollection(count);
  const list = createRecordList(collection.source, conditions, order);
  const stop = list.start();
  await when(list, () => list.getState().isLoaded && !list.getState().isReading);
  return { collection, list, stop, ids: () => list.getState().rows.map(({ id }) => id) };
}

it("a list is read once the watch has begun, page by page, and as a whole for its end", async () => {
  const { collection, list, stop, ids } = await started(2_500);
  assert.deepEqual(collection.lists, [{ limit: 200, cursor: null }]);
  assert.equal(list.getState().hasMore, true);
  list.more();
  list.more();
  await when(list, () => ids().length === 400);
  assert.equal(await list.readAll(), "00000");
  assert.equal(new Set(ids()).size, 2_500);
  assert.equal(list.getState().hasMore, false);
  assert.equal(collection.lists.length, 5, "two pages of 200, and three of 1,000");
  stop();
});

it("a record changes in its place and is marked; one that comes late changes nothing", async () => {
  const { collection, list, stop } = await started(5);
  const [before] = list.getState().rows;
  collection.set(record(3, { n: "new" }, 90));
  const { rows } = list.getState();
  assert.deepEqual(rows[1]?.value, { n: "new" });
  assert.notEqual(rows[1]?.mark, undefined);
  assert.equal(rows[0], before, "other rows are the same objects");
  collection.set(record(3, { n: "older" }, 80));
  assert.equal(list.getState().rows[1], rows[1]);
  stop();
});

it("new records are counted and push nothing until they are asked for, also after the connection was lost", async () => {
  const { collection, list, stop, ids } = await started(5);
  const before = ids();
  collection.set(record(7));
  collection.set(record(8));
  assert.equal(list.getState().fresh, 2);
  assert.deepEqual(ids(), before);
  collection.remove(record(8).id);
  assert.equal(list.getState().fresh, 1);
  collection.stored.set(record(9).id, record(9));
  collection.change({ op: "resync" });
  await when(list, () => list.getState().fresh === 2);
  assert.deepEqual(ids(), before);
  collection.change({ op: "resync" });
  await when(list, () => collection.lists.length === 3 && !list.getState().isReading);
  assert.deepEqual(ids(), before);
  await list.showFresh();
  assert.deepEqual(ids(), [record(9).id, record(7).id, ...before]);
  assert.equal(list.getState().fresh, 0);
  stop();
});

it("only new records that meet the filter are counted, and changes of records further down are not", async () => {
  const wanted: Condition = { column: "value.n", comparison: "gte", value: 100 };
  const { collection, list, stop } = await started(300, "-createdAt", [wanted]);
  collection.set(record(301, { n: 5 }));
  assert.equal(list.getState().fresh, 0);
  collection.set(record(302, { n: 500 }));
  assert.equal(list.getState().fresh, 1);
  collection.set(record(3, { n: 500 }, 900));
  assert.equal(list.getState().fresh, 1);
  stop();
});

it("what changes while a page is read is newer than the page", async () => {
  const { collection, list, stop, ids } = await started(300);
  collection.during(() => {
    collection.set(record(50, { n: "newer" }, 900));
    collection.remove(record(51).id);
  });
  list.more();
  await when(list, () => !list.getState().hasMore);
  assert.ok(!ids().includes(record(51).id));
  assert.deepEqual(list.getState().rows.find(({ id }) => id === record(50).id)?.value, { n: "newer" });
  stop();
});

it("a large record is read for its panel only: its row keeps what cells show", () => {
  const large = record(1, { text: "x".repeat(65_000), list: Array(3_000).fill(1), n: 1 });
  const row = rowOf(large);
  assert.equal(row.isWhole, false);
  assert.ok(JSON.stringify(row).length < 1_000);
  assert.equal(rowOf(record(1)).isWhole, true);
});

it("a change without its record, which is large, is read", async () => {
  const { collection, list, stop } = await started(5);
  collection.stored.set(record(2).id, record(2, { text: "y".repeat(9_000) }, 50));
  collection.change({ op: "set", id: record(2).id });
  await when(list, () => list.getState().rows[2]?.updatedAt === 50);
  assert.deepEqual(collection.gets, [record(2).id]);
  stop();
});

it("what this page writes is shown without a mark, also if the news of it comes first", async () => {
  const { collection, list, stop } = await started(5);
  const heard: boolean[] = [];
  list.onChange((_id, _record, isOwn) => heard.push(isOwn));
  await list.write(record(3).id, async () => {
    const written = record(3, { n: "mine" }, 60);
    collection.set(written);
    return written;
  });
  assert.equal(list.getState().rows[1]?.mark, undefined);
  assert.deepEqual(list.getState().rows[1]?.value, { n: "mine" });
  assert.deepEqual(heard, [true, true]);
  collection.set(record(6));
  list.put(record(6));
  assert.equal(list.getState().fresh, 0);
  assert.equal(list.getState().rows[0]?.id, record(6).id);
  stop();
});

it("rows that wait for their deletion are hidden, and come back", async () => {
  const { list, stop, ids } = await started(3);
  list.setHidden(new Set([record(1).id]));
  assert.deepEqual(ids(), [record(2).id, record(0).id]);
  list.setHidden(new Set());
  assert.deepEqual(ids(), [record(2).id, record(1).id, record(0).id]);
  stop();
});

it("a failure is told, keeps what was read, and is over with the next success", async () => {
  const { collection, list, stop, ids } = await started(300);
  collection.refuse(new Error("no"));
  assert.equal(await list.readAll(), null);
  assert.equal(list.getState().error?.message, "no");
  assert.equal(ids().length, 200);
  collection.refuse(null);
  await list.refresh();
  assert.equal(list.getState().error, null);
  assert.equal(ids().length, 200);
  stop();
});

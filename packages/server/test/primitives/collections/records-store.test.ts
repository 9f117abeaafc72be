import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import type { Db } from "../../../src/drivers/db/db.ts";
import { RecordStore } from "../../../src/primitives/collections/store.ts";
import { MANY, onDatabases, times } from "../../drivers/databases.ts";
import { changedDb } from "../../support/changed-db.ts";
import { indexed, named, recordsOf } from "./record-figures.ts";

const ANY = { own: true, any: true };
const OWN = { own: true, any: false };
const NONE = { own: false, any: false };

const QUOTA = "collections.records.canvas";

/** Clears a collection; returns how many records were removed. */
async function clear(records: RecordStore, right: typeof ANY): Promise<number> {
  let deleted = 0;
  for await (const ids of records.clear(right)) deleted += ids.length;
  return deleted;
}

/** The number of canvases so far. Each test uses new ones. */
let canvases = 0;
const opener = (db: Db) => () => {
  const canvas = `canvas-${++canvases}`;
  return {
    canvas,
    store: (caller = "u-1", collection = "board") => new RecordStore(db, canvas, collection, caller),
    sound: async () => {
      const [counted, held] = await recordsOf(db, canvas);
      assert.equal(counted, held, "the counter says how many records there are");
      await indexed(db, canvas);
      return held;
    },
  };
};

/** Values with indexed fields. */
const sample = (number: number): Json =>
  [{ number, text: `t${number}` }, { number, other: null }, number, [number], {}][number % 5] as Json;

await onDatabases("records", (db) => {
  const open = opener(db);
  const limit = (value: number) => db.run`
    insert into quotas (name, value) values (${QUOTA}, ${value}) on conflict (name) do update set value = excluded.value`;
  const unlimited = () => db.run`delete from quotas`;

  test("200 concurrent creates with room for 10: 10 succeed", async () => {
    const { store, sound } = open();
    await limit(25);
    for (let index = 0; index < 15; index++) assert.ok(await store().create(index, 1));
    const made = await times(MANY, (index) =>
      store(`u-${index % 7}`, `board-${index % 3}`).create(sample(index), 1),
    );
    assert.equal(made.filter((each) => each !== null).length, 10);
    assert.equal(await sound(), 25);
    await unlimited();
  });

  test("with a quota of 0 no record is created, and no counter is kept", async () => {
    const { canvas, store, sound } = open();
    await limit(0);
    assert.deepEqual(
      (await times(20, (index) => store().create(index, 1))).filter((each) => each !== null),
      [],
    );
    assert.equal(await sound(), 0);
    assert.equal(await db.get`select rows from counts where canvas_id = ${canvas}`, undefined);
    await unlimited();
  });

  test("at the quota records are updated, incremented and deleted; a lower quota removes none", async () => {
    const { store, sound } = open();
    const records = await times(5, (index) => store().create(index, 1));
    const id = (index: number) => records[index]?.id ?? "";
    await limit(5);
    assert.equal(await store().create(5, 1), null);
    assert.ok(await store().update(named(id(0)), { now: "an object" }, 2));
    assert.deepEqual(await store().increment(id(1), 10, 2), { number: 11, updated_at: 2 });
    await limit(3);
    assert.ok(await store().update(named(id(0)), { now: "another" }, 3));
    assert.equal(await sound(), 5);
    assert.equal(await store().delete(id(2)), true);
    assert.equal(await store().delete(id(3)), true);
    assert.equal(await store().create("still full", 1), null);
    assert.equal(await store().delete(id(4)), true);
    assert.ok(await store().create("room again", 1));
    assert.equal(await store().create("no more", 1), null);
    await unlimited();
    assert.ok(await store().create("the usual limit", 1));
    assert.equal(await sound(), 4);
  });

  test("the quota applies to each canvas alone", async () => {
    await limit(1);
    const [one, other] = [open(), open()];
    for (const { store } of [one, other]) {
      assert.ok(await store().create(1, 1));
      assert.equal(await store("u-2", "another").create(1, 1), null);
    }
    assert.deepEqual([await one.sound(), await other.sound()], [1, 1]);
    await unlimited();
  });

  test("concurrent deletes of a record: one succeeds, and the counter decreases once", async () => {
    const { store, sound } = open();
    const [record] = await times(3, (index) => store().create(sample(index), 1));
    const done = await times(MANY, () => store().delete(record?.id ?? ""));
    assert.equal(done.filter(Boolean).length, 1);
    assert.equal(await sound(), 2);
  });

  test("concurrent clears delete each record once", async () => {
    const { store, sound } = open();
    await times(50, (index) => store(`u-${index % 2}`).create(sample(index), 1));
    const deleted = await times(40, (index) => clear(store(`u-${index % 2}`), index % 3 === 0 ? ANY : OWN));
    assert.equal(
      deleted.reduce((sum, each) => sum + each, 0),
      50,
    );
    assert.equal(await sound(), 0);
  });

  test("a clear removes the records that the right includes, of its collection and canvas only", async () => {
    const [here, away] = [open(), open()];
    for (const { store } of [here, away]) {
      await times(4, (index) => store("u-1").create(sample(index), 1));
      await times(3, (index) => store("u-2").create(sample(index), 1));
      await times(2, (index) => store("u-1", "other").create(sample(index), 1));
    }
    assert.equal(await clear(here.store("u-1"), NONE), 0);
    assert.equal(await clear(here.store("u-3"), OWN), 0);
    assert.equal(await here.sound(), 9);
    assert.equal(await clear(here.store("u-1"), OWN), 4);
    assert.equal(await here.sound(), 5);
    assert.equal(await clear(here.store("u-3"), ANY), 3);
    assert.deepEqual([await here.sound(), await away.sound()], [2, 9]);
  });

  test("other writes proceed while a full collection is cleared", async () => {
    const { canvas, store, sound } = open();
    await times(400, (index) => store(`u-${index % 2}`).create(sample(index), 1));
    for (const right of [OWN, ANY]) {
      let parts = 0;
      let running = 0;
      const batch: Db["batch"] = async (steps) => {
        assert.equal(running++, 0, "one part after another");
        if (++parts === 2) assert.ok(await open().store().create(1, 1));
        return db.batch(steps).finally(() => running--);
      };
      const parted = new RecordStore(changedDb(db, { batch }), canvas, "board", "u-1");
      assert.equal(await clear(parted, right), 200);
      assert.ok(parts > 1);
    }
    assert.equal(await sound(), 0);
  });

  test("a right includes own records, all, or none", async () => {
    const { store } = open();
    const record = await store("u-1").create({ a: 1 }, 7);
    const id = record?.id ?? "";
    for (const [caller, right, reaches] of [
      ["u-1", ANY, true],
      ["u-1", OWN, true],
      ["u-1", NONE, false],
      ["u-2", ANY, true],
      ["u-2", OWN, false],
      ["u-2", NONE, false],
    ] as const) {
      assert.deepEqual(await store(caller).get(id, right), reaches ? record : undefined);
      assert.equal(await store(caller).count(right), Number(reaches));
    }
    assert.equal(await store("u-1", "other").get(id, ANY), undefined);
    assert.equal(await open().store("u-1").get(id, ANY), undefined);
  });

  test("the id of a record in another collection or canvas is not found", async () => {
    const { store, sound } = open();
    const record = await store().create(1, 1);
    const id = record?.id ?? "";
    for (const elsewhere of [store("u-1", "other"), open().store()]) {
      assert.equal(await elsewhere.update(named(id), 2, 2), null);
      assert.equal(await elsewhere.increment(id, 1, 2), undefined);
      assert.equal(await elsewhere.delete(id), false);
      assert.equal(await clear(elsewhere, ANY), 0);
    }
    assert.deepEqual(await store().get(id, ANY), record);
    assert.equal(await sound(), 1);
  });

  test("no concurrent increment is lost, and each sets the time", async () => {
    const { store } = open();
    const record = await store().create(0, 1);
    const id = record?.id ?? "";
    const changed = await times(MANY, (index) => store(`u-${index}`).increment(id, 1, 100 + (index % 7)));
    const sums = changed.map((each) => each?.number);
    assert.deepEqual(new Set(sums), new Set(Array.from({ length: MANY }, (_, index) => index + 1)));
    const now = await store().get(id, ANY);
    assert.deepEqual([now?.number, now?.author_id], [MANY, "u-1"]);
    const inOrder = changed.toSorted((one, other) => Number(one?.number) - Number(other?.number));
    const moments = inOrder.map((each) => Number(each?.updated_at));
    assert.ok(
      moments.every((at, index) => at >= 100 && at > (moments[index - 1] ?? 1)),
      String(moments),
    );
    assert.equal(now?.updated_at, moments.at(-1));
  });

  test("two changes of a record never have the same time, whatever the clock says", async () => {
    const { store } = open();
    const record = await store().create(0, 7);
    const id = record?.id ?? "";
    const found = () => store().get(id, ANY);
    const updated = async (value: Json, now: number) =>
      (await store().update((await found()) ?? named(id), value, now))?.updated_at;
    assert.equal(await updated(1, 7), 8);
    assert.equal(await updated(1, 7), 9);
    assert.equal(await updated(1, 3), 10);
    assert.equal((await store().increment(id, 1, 10))?.updated_at, 11);
    assert.equal((await store().increment(id, 1, 1))?.updated_at, 12);
    assert.equal(await updated({ text: "later" }, 90), 90);
    const written = await times(20, (index) => store().update(named(id), index, 90));
    assert.equal(new Set(written.map((each) => each?.updated_at)).size, 20);
    const last = written.toSorted((one, other) => Number(one?.updated_at) - Number(other?.updated_at)).at(-1);
    assert.deepEqual(await found(), last);
  });

  test("of concurrent conditional writes of a record one is made, or none if it has changed before", async () => {
    const { store, sound } = open();
    for (let round = 0; round < 10; round++) {
      const found = await store().create({ round }, 1);
      assert.ok(found);
      const { id, updated_at } = found;
      const isMade = await times(12, async (index) =>
        index % 3 === 2
          ? store().delete(id, updated_at)
          : (await store().update(found, { index }, 1, { unchanged: true })) !== null,
      );
      assert.equal(isMade.filter(Boolean).length, 1);
      const now = await store().get(id, ANY);
      assert.deepEqual(
        now === undefined ? isMade[2] || isMade[5] || isMade[8] || isMade[11] : now.updated_at,
        now === undefined ? true : 2,
      );
      assert.equal(await store().update(found, "stale", 9, { unchanged: true }), null);
      assert.equal(await store().delete(id, updated_at), false);
      assert.deepEqual(await store().get(id, ANY), now);
      if (now !== undefined) assert.ok(await store().delete(id, now.updated_at));
    }
    assert.equal(await sound(), 0);
  });

  test("after concurrent updates a record is indexed by its final value", async () => {
    const { store, sound } = open();
    for (let round = 0; round < 5; round++) {
      const record = await store().create(sample(round), 1);
      const id = record?.id ?? "";
      const done = await times(40, (index) => store().update(named(id), sample(index), index));
      assert.ok(done.every(Boolean));
    }
    assert.equal(await sound(), 5);
  });

  test("an update concurrent with a delete leaves nothing in the index", async () => {
    const { store, sound } = open();
    for (let round = 0; round < 30; round++) {
      const record = await store().create(sample(round), 1);
      const id = record?.id ?? "";
      await Promise.all([
        ...[1, 2, 3].map((index) => store().update(named(id), { number: index, round }, 2)),
        store().delete(id),
        store().update(named(id), { last: round }, 3),
      ]);
      assert.equal(await store().get(id, ANY), undefined);
    }
    assert.equal(await sound(), 0);
  });

  test("an update concurrent with a clear leaves nothing in the index", async () => {
    const { store, sound } = open();
    for (let round = 0; round < 20; round++) {
      const records = await times(4, (index) => store(`u-${index % 2}`).create(sample(index), 1));
      await Promise.all([
        ...records.map((record) => store().update(named(record?.id ?? ""), { changed: round }, 2)),
        clear(store(), round % 2 === 0 ? ANY : OWN),
        ...records.map((record) => store().update(named(record?.id ?? ""), { again: round }, 3)),
      ]);
      await clear(store(), ANY);
    }
    assert.equal(await sound(), 0);
  });

  test("the first record of a canvas, created during a clear, is stored or removed with its index", async () => {
    for (let round = 0; round < 30; round++) {
      const { store, sound } = open();
      await Promise.all([
        store().create({ first: round }, 1),
        clear(store("u-2"), ANY),
        clear(store("u-2"), ANY),
      ]);
      assert.ok((await sound()) <= 1);
    }
  });

  test("after any concurrent writes counter and index match the records, within the quota", async () => {
    const health = fc.record({
      what: fc.constantFrom("create", "create", "update", "increment", "delete", "clear", "clearOwn"),
      caller: fc.constantFrom("u-1", "u-2"),
      collection: fc.constantFrom("board", "other"),
      which: fc.nat(20),
      value: fc.nat(20),
    });
    const rounds = fc.array(fc.array(health, { minLength: 1, maxLength: 30 }), {
      minLength: 1,
      maxLength: 4,
    });
    await limit(8);
    await fc.assert(
      fc.asyncProperty(rounds, async (turns) => {
        const { store, sound } = open();
        const ids: string[] = [];
        for (const turn of turns) {
          await Promise.all(
            turn.map(async ({ what, caller, collection, which, value }) => {
              const records = store(caller, collection);
              const id = ids[which % Math.max(ids.length, 1)] ?? "none";
              if (what === "create") {
                const made = await records.create(sample(value), 1);
                if (made !== null) ids.push(made.id);
              } else if (what === "update") await records.update(named(id), sample(value), 2);
              else if (what === "increment") await records.increment(id, 1, 2);
              else if (what === "delete") await records.delete(id);
              else await clear(records, what === "clear" ? ANY : OWN);
            }),
          );
          assert.ok((await sound()) <= 8);
        }
      }),
      { numRuns: 25 },
    );
    await unlimited();
  });
});

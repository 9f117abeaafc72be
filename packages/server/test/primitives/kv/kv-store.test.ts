import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { KvStore } from "../../../src/primitives/kv/store.ts";
import { MANY, times } from "../../drivers/databases.ts";
import { LIMIT, one, onStores } from "./kv-stores.ts";

await onStores("limits of the key-value store", (open, db) => {
  test("concurrent creates beyond the limit: as many succeed as have room", async () => {
    const { store, counted } = open();
    await times(10, (index) => store.put(`old ${index}`, one, 20));
    const done = await times(MANY, (index) => store.put(`new ${index}`, one, 20));
    assert.equal(done.filter(Boolean).length, 10);
    assert.deepEqual(await counted(), [20, 20]);
    const found = await times(MANY, (index) => store.get(`new ${index}`));
    assert.deepEqual(
      found.map((each) => each !== undefined),
      done,
    );
  });

  test("concurrent increments that create keys: as many succeed as have room", async () => {
    const { store, counted } = open();
    const done = await times(MANY, (index) => store.increment(`key ${index}`, 1, 10));
    assert.equal(done.filter((each) => each === 1).length, 10);
    assert.equal(done.filter((each) => each === "KEY_LIMIT").length, MANY - 10);
    assert.deepEqual(await counted(), [10, 10]);
  });

  test("concurrent puts of the last possible key all succeed: one creates it, the others update it", async () => {
    const puts = open();
    assert.ok((await times(50, () => puts.store.put("k", one, 1))).every(Boolean));
    assert.deepEqual(await puts.counted(), [1, 1]);
    const increments = open();
    const sums = await times(50, () => increments.store.increment("k", 1, 1));
    assert.deepEqual(
      sums.map(Number).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  test("a full scope allows updates of its keys and no new key", async () => {
    const { store, counted } = open();
    await times(3, (index) => store.put(`key ${index}`, one, 3));
    assert.equal(await store.put("key 3", one, 3), false);
    assert.equal(await store.put("key 1", { value: '"new"', number: null }, 3), true);
    assert.equal(await store.increment("key 2", 1, 3), 2);
    assert.equal(await store.increment("key 3", 1, 3), "KEY_LIMIT");
    await store.delete("key 0");
    assert.equal(await store.put("key 3", one, 3), true);
    assert.deepEqual(await counted(), [3, 3]);
  });

  test("with a limit of 0 no key is created", async () => {
    const { store, counted } = open();
    assert.equal(await store.put("a", one, 0), false);
    assert.deepEqual(await counted(), [0, 0]);
  });

  test("a key created by concurrent puts is counted once", async () => {
    const { store, counted } = open();
    const done = await times(MANY, (number) => store.put("a", { value: null, number }, LIMIT));
    assert.ok(done.every(Boolean));
    assert.deepEqual(await counted(), [1, 1]);
    assert.ok(((await store.get("a"))?.number ?? -1) >= 0);
  });

  test("concurrent deletes of a key decrease the counter once", async () => {
    const { store, counted } = open();
    await times(2, (index) => store.put(`key ${index}`, one, LIMIT));
    await times(MANY, () => store.delete("key 0"));
    assert.deepEqual(await counted(), [1, 1]);
  });

  test("after any concurrent writes the counter matches the keys, within the limit", async () => {
    const health = fc.record({
      what: fc.constantFrom("put", "put", "increment", "delete"),
      key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    });
    const rounds = fc.array(fc.array(health, { minLength: 1, maxLength: 40 }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(rounds, async (turns) => {
        const { store, counted } = open();
        for (const turn of turns) {
          const work = turn.map(({ what, key }): Promise<unknown> => {
            if (what === "put") return store.put(key, one, 4);
            return what === "delete" ? store.delete(key) : store.increment(key, 1, 4);
          });
          await Promise.all(work);
          const [keys, held] = await counted();
          assert.equal(keys, held);
          assert.ok(Number(held) <= 4);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("scopes and canvases are separate", async () => {
    const yours = new KvStore(db, "canvas", "you");
    await yours.put("a", one, 1);
    for (const [canvas, scope] of [
      ["canvas", "me"],
      ["canvas", ""],
      ["another", "you"],
    ] as const) {
      const mine = new KvStore(db, canvas, scope);
      assert.equal(await mine.get("a"), undefined);
      assert.deepEqual(await mine.list({ prefix: "", cursor: null, limit: 10 }), {
        entries: [],
        nextCursor: null,
      });
      await mine.delete("a");
      assert.equal(await mine.increment("a", 5, 1), 5);
      await mine.delete("a");
      assert.deepEqual(await yours.get("a"), one);
    }
    assert.equal(await yours.put("b", one, 1), false);
  });
});

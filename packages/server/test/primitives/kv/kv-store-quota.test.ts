import assert from "node:assert/strict";
import { test } from "node:test";
import { KvStore } from "../../../src/primitives/kv/store.ts";
import { MANY, times } from "../../drivers/databases.ts";
import { LIMIT, one, onStores } from "./kv-stores.ts";

await onStores("quotas of the key-value store", (open, db) => {
  const set = (name: string, value: number) => db.run`
    insert into quotas (name, value) values (${name}, ${value}) on conflict (name) do update set value = excluded.value`;
  const reset = () => db.run`delete from quotas`;

  test("a quota of an administrator replaces the default, lower or higher", async () => {
    const { store, counted } = open();
    await set("kv.keys.user", 2);
    assert.deepEqual(
      [
        await store.put("a", one, LIMIT),
        await store.increment("b", 1, LIMIT),
        await store.put("c", one, LIMIT),
      ],
      [true, 1, false],
    );
    assert.equal(await store.increment("c", 1, LIMIT), "KEY_LIMIT");
    await set("kv.keys.user", 3);
    assert.equal(await store.put("c", one, 1), true);
    await reset();
    assert.equal(await store.put("d", one, 3), false);
    assert.equal(await store.put("d", one, 4), true);
    assert.deepEqual(await counted(), [4, 4]);
  });

  test("with a quota of 0 no key is created", async () => {
    const { store, counted } = open();
    await set("kv.keys.user", 0);
    assert.equal(await store.put("a", one, LIMIT), false);
    await reset();
    assert.deepEqual(await counted(), [0, 0]);
  });

  test("the shared scope and those of viewers have a quota each", async () => {
    const shared = new KvStore(db, "quotas", "");
    const { store } = open();
    await set("kv.keys.shared", 1);
    assert.deepEqual([await shared.put("a", one, LIMIT), await shared.put("b", one, LIMIT)], [true, false]);
    assert.deepEqual([await store.put("a", one, LIMIT), await store.put("b", one, LIMIT)], [true, true]);
    await reset();
    await set("kv.keys.user", 2);
    assert.deepEqual([await shared.put("b", one, LIMIT), await store.put("c", one, LIMIT)], [true, false]);
    await reset();
  });

  test("concurrent creates beyond the quota: as many succeed as have room", async () => {
    const { store, counted } = open();
    await set("kv.keys.user", 20);
    await times(10, (index) => store.put(`old ${index}`, one, LIMIT));
    const done = await times(MANY, (index) =>
      index % 2 === 0
        ? store.put(`new ${index}`, one, LIMIT)
        : store.increment(`new ${index}`, 1, LIMIT).then((sum) => sum === 1),
    );
    assert.equal(done.filter(Boolean).length, 10);
    assert.deepEqual(await counted(), [20, 20]);
    await reset();
  });

  test("with quotas that change during concurrent writes, the counter matches the keys and never exceeds the highest quota", async () => {
    const { store, counted } = open();
    await times(MANY, async (index) => {
      if (index % 10 === 0) await set("kv.keys.user", index % 20 === 0 ? 15 : 5);
      else if (index % 7 === 0) await store.delete(`key ${index - 6}`);
      else await store.put(`key ${index}`, one, 1);
    });
    const [keys, held] = await counted();
    assert.equal(keys, held);
    assert.ok(Number(held) <= 15 && Number(held) >= 1, `${held}`);
    await set("kv.keys.user", 3);
    assert.equal(await store.put("one more", one, LIMIT), false);
    await reset();
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { asKeys, type Dependent, sql, sqlText } from "../../src/drivers/db/db.ts";
import { nothing, type Open, thing } from "./db-tables.ts";

/** Registers the tests of reads, which every database driver must pass. */
export function rowsContract(open: Open): void {
  test("values are read as they were written", async (t) => {
    const { db } = await open(t);
    const texts = ["", 'it\'s "quoted"', "? $1 \\ %", "🦊 é\n\t", "null", "{}", "\u{10ffff}\ufffd"];
    const numbers = [
      0,
      -1,
      0.1,
      5e-324,
      -5e-324,
      2.2250738585072014e-308,
      Number.MAX_VALUE,
      -Number.MAX_VALUE,
      2 ** 53,
    ];
    const bytes = [[], [0], [0xff], [0, 0xff, 0x27, 0x5c], [0xc3, 0x28]].map((each) => Uint8Array.from(each));
    const rows = [
      ...texts.map((text) => [text, null, null] as const),
      ...numbers.map((number) => [null, number, null] as const),
      ...bytes.map((each) => [null, null, each] as const),
      [null, null, null] as const,
    ];
    for (const [id, [name, size, content]] of rows.entries()) {
      await db.run`insert into things (id, name, size, bytes) values (${id}, ${name}, ${size}, ${content})`;
    }
    const found = await db.all<{ name: string | null; size: number | null; bytes: Uint8Array | null }>`
      select name, size, bytes from things order by id`;
    assert.deepEqual(
      found.map(({ name, size, bytes }) => [name, size, bytes === null ? null : Uint8Array.from(bytes)]),
      rows,
    );
  });

  test("head returns rows up to a size, at least one if there is any, and whether more follow", async (t) => {
    const { db } = await open(t);
    const read = (size: number, from = 0) =>
      db.head<{ id: number; name: string }>(
        size,
        ...sql`select id, name from things where id >= ${from} order by id limit 10`,
      );
    assert.deepEqual(await read(1_000), { rows: [], more: false });
    for (let id = 0; id < 12; id++)
      await db.run`insert into things (id, name) values (${id}, ${id + "é".repeat(id === 3 ? 5_000 : 300)})`;
    const ids = async (...given: [size: number, from?: number]) => {
      const { rows, more } = await read(...given);
      assert.deepEqual(Object.keys(rows[0] ?? {}), ["id", "name"]);
      return { ids: rows.map(({ id }) => id), more };
    };
    assert.deepEqual(await ids(100_000), { ids: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], more: false });
    assert.deepEqual(await ids(3_000), { ids: [0, 1, 2], more: true });
    assert.deepEqual(await ids(1), { ids: [0], more: true });
    assert.deepEqual(await ids(1, 3), { ids: [3], more: true });
    assert.deepEqual(await ids(1, 11), { ids: [11], more: false });
    assert.deepEqual(await ids(100_000, 4), { ids: [4, 5, 6, 7, 8, 9, 10, 11], more: false });
  });

  test("statements with equal texts read the same, however the texts were made", async (t) => {
    const { db } = await open(t);
    await db.batch([thing(1), thing(2)]);
    const built = (from: string) => sqlText("select name from things", `where ${from} = ? and size is null`);
    for (const id of [1, 2, 1]) {
      const expected = { name: `thing ${id}` };
      assert.deepEqual({ ...(await db.get<object>(built("id"), id)) }, expected);
      assert.deepEqual({ ...(await db.getCached<Dependent>(built("id"), id)) }, expected);
      assert.deepEqual(
        {
          ...(await db.getCached<Dependent>`select name from things
where id = ${id} and size is null`),
        },
        expected,
      );
      assert.deepEqual((await db.head<object>(100, built("id"), id)).rows.length, 1);
    }
    assert.equal(await db.run(sqlText("update things set size = ?", "where id = ?"), 1, 1), 1);
    assert.equal(await db.getCached(built("id"), 1), undefined);
  });

  test("whole numbers are exact up to 2^53 - 1", async (t) => {
    const { db } = await open(t);
    for (const id of [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 0]) {
      await db.run`insert into things (id) values (${id})`;
      assert.equal((await db.get<{ id: number }>`select id from things where id = ${id}`)?.id, id);
    }
  });

  test("bytes are compared as bytes", async (t) => {
    const { db } = await open(t);
    const keys = [
      "",
      "00",
      "0000",
      "0001",
      "61",
      "6100",
      "61ff",
      "7f",
      "80",
      "c3a9",
      "ef bf bd",
      "f09fa68a",
      "ff",
      "ff00",
    ];
    const inOrder = keys.map((hex) => Buffer.from(hex.replaceAll(" ", ""), "hex"));
    for (const [index, key] of [...inOrder.entries()].reverse()) {
      await db.run`insert into things (id, bytes) values (${index}, ${key})`;
    }
    const after = async (key: Uint8Array) =>
      (await db.all<{ id: number }>`select id from things where bytes > ${key} order by bytes`).map(
        ({ id }) => id,
      );
    for (const [index, key] of inOrder.entries()) {
      assert.deepEqual(await after(key), [...inOrder.keys()].slice(index + 1));
    }
  });

  test("getCached returns what get returns, after every kind of write", async (t) => {
    const { db, other } = await open(t);
    const recalled = async (id: number) => {
      const row = await db.getCached<{ size: number | null } & Dependent>`
        select size from things where id = ${id}`;
      assert.deepEqual(row, await db.get`select size from things where id = ${id}`);
      return row?.size;
    };
    const resized = (size: number) => sql`update things set size = ${size} where id = ${1}`;
    /** Writes and other events, and the column `size` of the row 1 of `things` after each. Undefined: there is no such row. */
    const events: [what: string, happens: () => Promise<unknown>, size: number | null | undefined][] = [
      ["nothing", async () => {}, undefined],
      ["an insert", () => db.run(...thing(1)), null],
      ["a write", () => db.run(...resized(1)), 1],
      ["a write of another table", () => db.run`update counters set value = ${1}`, 1],
      ["a batch", () => db.batch([thing(2), resized(2)]), 2],
      ["a batch that is undone", () => db.batch([resized(3), nothing]), 2],
      ["a batch that fails", () => db.batch([resized(3), thing(1)]).catch(() => {}), 2],
      ["a write with answers", () => db.returning`update things set size = size + ${2} returning size`, 4],
      ["another node's write", () => other.run(...resized(5)), 5],
      ["another node's batch", () => other.batch([resized(6)]), 6],
      [
        "an upsert",
        () => db.run`insert into things (id) values (${1}) on conflict (id) do update set size = ${7}`,
        7,
      ],
      ["a delete", () => db.run`delete from things where id = ${1}`, undefined],
    ];
    for (const [what, happens, size] of events) {
      await happens();
      assert.equal(await recalled(1), size, what);
      assert.equal(await recalled(1), size, what);
    }
    assert.equal(await recalled(2), null);
  });

  test("getCached computes a derived value only for a query", async (t) => {
    const { db } = await open(t);
    await db.batch([thing(1), thing(2)]);
    const named = async (id: number) => {
      const name = { from: `of ${id}`, value: () => `thing ${id}` };
      return (await db.getCached<{ id: number } & Dependent>`select id from things where name = ${name}`)?.id;
    };
    assert.deepEqual([await named(1), await named(2), await named(3), await named(1)], [1, 2, undefined, 1]);
    await db.run`delete from things where id = ${1}`;
    assert.deepEqual([await named(1), await named(2)], [undefined, 2]);
  });

  test("getCached compares bytes by content, and notices writes to all tables of a join", async (t) => {
    const { db } = await open(t);
    for (const [id, bytes] of [[0], [0, 0], [0xff], []].entries()) {
      await db.run`insert into things (id, bytes) values (${id}, ${Uint8Array.from(bytes)})`;
    }
    const ofBytes = async (bytes: Uint8Array) =>
      (await db.getCached<{ id: number } & Dependent>`select id from things where bytes = ${bytes}`)?.id;
    for (const round of [1, 2]) {
      const found = [[0], [0, 0], [0xff], [], [1]].map((bytes) => ofBytes(Uint8Array.from(bytes)));
      assert.deepEqual(await Promise.all(found), [0, 1, 2, 3, undefined], `round ${round}`);
    }
    const joined = async (least: number, counter: string) =>
      (
        await db.getCached<{ value: number } & Dependent>`
        select value from counters left join things on things.id = ${least} where counters.id = ${counter}
          and things.size is null`
      )?.value;
    assert.deepEqual([await joined(0, "a"), await joined(0, "b"), await joined(9, "a")], [0, undefined, 0]);
    await db.run`update counters set value = ${4}`;
    assert.deepEqual([await joined(0, "a"), await joined(9, "a")], [4, 4]);
    await db.run`update things set size = ${1}`;
    assert.deepEqual([await joined(0, "a"), await joined(9, "a")], [undefined, 4]);
  });

  test("asKeys: texts in one value are returned as rows, each once", async (t) => {
    const { db } = await open(t);
    const texts = [
      "a",
      "10",
      "9",
      'quo"te',
      "back\\slash",
      "o'neil",
      "\u0001",
      "grün",
      "🎨",
      "__proto__",
      "",
    ];
    const read = async (given: string[]) =>
      (await db.all<{ key: string }>`select key from json_each(${asKeys(given)})`).map(({ key }) => key);
    for (const round of [1, 2]) {
      assert.deepEqual((await read([...texts, "a"])).toSorted(), texts.toSorted(), `round ${round}`);
    }
    assert.deepEqual(await read([]), []);
  });
}

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { until } from "@easel/conformance/patience";
import {
  asKeys,
  type Dependent,
  optional,
  sql,
  step,
  Unavailable,
  UpdateOne,
  type Value,
} from "../../src/drivers/db/db.ts";
import { postgres } from "../../src/drivers/db/postgres/postgres.ts";
import { postgresProxy } from "../support/postgres-proxy.ts";
import { atEnd, ENGINES, type Scope } from "../support/service.ts";
import { ids, makeTables, nothing, thing } from "./db-tables.ts";

const [engine] = ENGINES.filter(({ name }) => name === "postgres");

/** Opens a database with the tables of these tests through a proxy, and another connection to it. */
async function open(t: Scope) {
  const url = (await engine?.database(t)) ?? "";
  const proxy = await postgresProxy(t, url);
  const [db, other] = [postgres(proxy.url), postgres(url)];
  for (const each of [db, other]) atEnd(t, () => each.close());
  await makeTables(db);
  return { db, other, proxy };
}

const count = (sent: string, type: string) => sent.split(type).length - 1;

const RESIZE = new UpdateOne({ table: "things", set: "size = ?", key: "id = ?" });
const GROW = new UpdateOne({
  table: "things",
  set: "size = size + ?",
  key: "id = ?",
  also: "size is not null",
  returning: "size, name",
});
const COUNT = new UpdateOne({
  table: "counters",
  set: "value = value + ?",
  key: "id = ?",
  returning: "value",
});

describe("turns on PostgreSQL", { skip: engine?.skip }, () => {
  test("300 reads of a turn are three statements, each with its own row", async (t) => {
    const { db, proxy } = await open(t);
    await db.batch(Array.from({ length: 200 }, (_, id) => thing(id)));
    const read = (id: number) => db.get<{ name: string }>`select name, id from things where id = ${id}`;
    assert.deepEqual(await read(3), { name: "thing 3", id: 3 });
    proxy.clear();
    const found = await Promise.all(Array.from({ length: 300 }, (_, id) => read(id)));
    assert.equal(count(proxy.sent(), "E"), 3);
    assert.deepEqual(
      found,
      Array.from({ length: 300 }, (_, id) => (id < 200 ? { name: `thing ${id}`, id } : undefined)),
    );
  });

  test("a read that is alone in its turn is sent at once, as it is", async (t) => {
    const { db, proxy } = await open(t);
    for (let id = 0; id < 3; id++) {
      proxy.clear();
      await db.get`select name from things where id = ${id}`;
    }
    assert.equal(proxy.roundTrips(), 1);
    assert.deepEqual(
      [...proxy.texts].filter((text) => text.includes("unnest")),
      [],
    );
  });

  test("the first row is the first in the order of the statement", async (t) => {
    const { db, proxy } = await open(t);
    await db.batch(Array.from({ length: 20 }, (_, id) => thing(id)));
    const above = (id: number) =>
      db.get<{ id: number }>`select id from things where id > ${id} order by id desc limit 5`;
    await above(1);
    proxy.clear();
    assert.deepEqual(await Promise.all([above(1), above(18), above(19)]), [
      { id: 19 },
      { id: 19 },
      undefined,
    ]);
    assert.equal(count(proxy.sent(), "E"), 1);
  });

  test("getCached joins equal reads of a turn, and no others", async (t) => {
    const { db, proxy } = await open(t);
    await db.batch([thing(1), thing(2), thing(11)]);
    const read = (name: string, id: Value) =>
      db.getCached<Dependent & { id: number }>`
        select id, 'instance' as depends_on from things where name = ${name} and id >= ${id}`;
    await read("thing 1", 1);
    proxy.clear();
    const rows = await Promise.all([
      ...Array.from({ length: 60 }, () => read("thing 1", 1)),
      read("thing 2", 1),
      read("thing 11", 1),
      read("thing 1", 11),
    ]);
    assert.deepEqual(
      rows.map((row) => row?.id),
      [...Array.from({ length: 60 }, () => 1), 2, 11, undefined],
    );
    assert.equal(count(proxy.sent(), "E"), 1);
    await db.run`delete from things`;
    assert.equal(await read("thing 1", 1), undefined);
  });

  test("values of joined reads are those of single ones", async (t) => {
    const { db, proxy } = await open(t);
    const texts = [null, "", "null", "NULL", '"', "\\", '{"a":"b\\"c"}', "a,b", "{}", "é🦊\n\t", "'", " "];
    const numbers = [null, 0, -1, 0.1, 5e-324, Number.MAX_VALUE, 2 ** 53, 1e21, 1e-7];
    const integers = [null, 0, -1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER];
    const bytes = [null, [], [0], [0xff], [0, 0x27, 0x5c, 0x22, 0x2c], [0xc3, 0x28]].map(
      (each) => each && Uint8Array.from(each),
    );
    const rows = Array.from({ length: 60 }, (_, index) => ({
      t: texts[index % texts.length] as Value,
      d: numbers[index % numbers.length] as Value,
      i: integers[index % integers.length] as Value,
      b: bytes[index % bytes.length] as Value,
      j: JSON.stringify({ [`k${index}"\\`]: [index, '"'] }),
    }));
    const read = ({ t, d, i, b, j }: (typeof rows)[number]) => db.get<object>`
      select cast(${t} as text) as t, cast(${d} as double precision) as d, cast(${i} as bigint) as i,
        cast(${b} as bytea) as b, (select key from json_each(${j})) as key, cast(${j} as json) as j`;
    const single = [];
    for (const row of rows) single.push(await read(row));
    proxy.clear();
    assert.deepEqual(await Promise.all(rows.map(read)), single);
    assert.equal(count(proxy.sent(), "E"), 1);
    assert.deepEqual(
      single.map((row) => ({ ...row })),
      rows.map(({ t, d, i, b, j }, index) => ({
        t,
        d: d && Number(d),
        i,
        b: b && Buffer.from(b as Uint8Array),
        key: `k${index}"\\`,
        j,
      })),
    );
  });

  test("an error of one read is its own", async (t) => {
    const { db } = await open(t);
    const read = (text: string) => db.get<{ n: number }>`select cast(cast(${text} as text) as bigint) as n`;
    assert.deepEqual(await read("1"), { n: 1 });
    for (const round of ["first", "second"]) {
      const found = await Promise.allSettled(["2", "none", "3", "4"].map(read));
      assert.deepEqual(
        found.map((each) => (each.status === "fulfilled" ? each.value?.n : each.reason.code)),
        [2, "22P02", 3, 4],
        round,
      );
    }
  });

  test("a text that cannot run for several calls runs for one at a time", async (t) => {
    const { db, proxy } = await open(t);
    await db.batch([thing(1), thing(2)]);
    const read = (limit: number) =>
      db.get<{ n: number }>`select count(*) as n from (select id from things limit ${limit}) as chosen`;
    await read(1);
    for (const executed of [4, 3]) {
      proxy.clear();
      assert.deepEqual(await Promise.all([read(1), read(2), read(3)]), [{ n: 1 }, { n: 2 }, { n: 2 }]);
      assert.ok(count(proxy.sent(), "E") <= executed);
    }
    const types = (one: number) => db.get<{ is: boolean }>`select ${one} = any (array[1]::smallint[]) as is`;
    await types(1);
    assert.deepEqual(await Promise.all([types(1), types(2)]), [{ is: true }, { is: false }]);
  });

  test("a statement with * has the columns of the schema after a migration", async (t) => {
    const { db, other } = await open(t);
    await db.batch([thing(1), thing(2)]);
    const read = (id: number) => db.get<object>`select * from things where id = ${id}`;
    await read(1);
    await Promise.all([read(1), read(2)]);
    await other.exclusively(({ exec }) => exec("alter table things add column more bigint default 7"));
    for (const row of await Promise.all([read(1), read(2)])) assert.equal((row as { more: number }).more, 7);
  });

  test("updates of a turn are one round trip, and those of one row happen in order", async (t) => {
    const { db, proxy } = await open(t);
    await db.batch(Array.from({ length: 40 }, (_, id) => thing(id)));
    await Promise.all([db.run(RESIZE, 0, 0), db.returning(GROW, 1, 0)]);
    await Promise.all([1, 2].map((id) => db.run(RESIZE, 0, id)));
    proxy.clear();
    const results = await Promise.all([
      ...Array.from({ length: 41 }, (_, index) => db.run(RESIZE, 40 - index, 40 - index)),
      db.returning(GROW, 0.5, 7),
      db.run(RESIZE, 100, 7),
      db.returning(GROW, 1, 7),
      db.returning(GROW, 1, 99),
      db.run(GROW, 1, 8),
    ]);
    assert.deepEqual(results, [
      0,
      ...Array.from({ length: 40 }, () => 1),
      [{ size: 7.5, name: "thing 7" }],
      1,
      [{ size: 101, name: "thing 7" }],
      [],
      1,
    ]);
    assert.equal(count(proxy.sent(), "E"), 5);
    proxy.clear();
    await Promise.all([db.run(RESIZE, 3, 3), db.run(RESIZE, 4, 4), db.run(RESIZE, 5, 3)]);
    assert.deepEqual([proxy.roundTrips(), proxy.sent()], [1, "QBESBESQ"]);
    const sizes = await db.all<{ size: number }>`select size from things order by id`;
    assert.deepEqual(
      sizes.map(({ size }) => size),
      Array.from({ length: 40 }, (_, id) => ({ 3: 5, 7: 101, 8: 9 })[id] ?? id),
    );
  });

  test("an update that fails does not affect others of its turn", async (t) => {
    const { db, other } = await open(t);
    await db.batch(["b", "c", "d"].map((id) => sql`insert into counters (id, value) values (${id}, ${1})`));
    await db.returning(COUNT, 0, "a");
    for (let round = 1; round <= 2; round++) {
      const results = await Promise.allSettled([
        db.returning(COUNT, 1, "a"),
        db.returning(COUNT, -9, "b"),
        db.returning(COUNT, 1, "c"),
        db.returning(COUNT, 2, "a"),
        db.returning(COUNT, 1, "none"),
      ]);
      assert.deepEqual(
        results.map((each) => (each.status === "fulfilled" ? each.value : each.reason.code)),
        [[{ value: 3 * round - 2 }], "23514", [{ value: 1 + round }], [{ value: 3 * round }], []],
      );
    }
    assert.deepEqual(await other.all`select id, value from counters order by id`, [
      { id: "a", value: 6 },
      { id: "b", value: 1 },
      { id: "c", value: 3 },
      { id: "d", value: 1 },
    ]);
  });

  test("updates of one row by many callers are exact, on one node and on two", async (t) => {
    const { db, other } = await open(t);
    const sums = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        (index % 2 === 0 ? db : other).returning<{ value: number }>(COUNT, 1, "a"),
      ),
    );
    assert.deepEqual(
      sums.map(([row]) => row?.value ?? 0).sort((one, another) => one - another),
      Array.from({ length: 400 }, (_, index) => index + 1),
    );
  });

  test("two nodes that update the same rows in opposite orders: every update happens once", async (t) => {
    const { db, other } = await open(t);
    await db.batch(Array.from({ length: 30 }, (_, id) => thing(id)));
    await Promise.all(Array.from({ length: 30 }, (_, id) => db.run(RESIZE, 0, id)));
    await Promise.all([db.returning(GROW, 0, 1), other.returning(GROW, 0, 1)]);
    const grow = (node: typeof db, order: number[]) =>
      Promise.all(order.map((id) => node.returning<{ size: number }>(GROW, 1, id)));
    const order = Array.from({ length: 30 }, (_, id) => id);
    for (let round = 1; round <= 10; round++) {
      const [there, back] = await Promise.all([grow(db, order), grow(other, order.toReversed())]);
      for (const [row] of [...there, ...back]) assert.ok([2 * round - 1, 2 * round].includes(row?.size ?? 0));
    }
    assert.deepEqual(await db.all`select distinct size from things`, [{ size: 20 }]);
  });

  test("a batch is one round trip, whatever its outcome", async (t) => {
    const { db, proxy } = await open(t);
    const remove = (id: number) => sql`delete from things where id = ${id}`;
    const rename = (id: number) => sql`with one as (select id from things where id = ${id})
      update things set name = ${`other ${id}`} where id in (select id from one) returning id`;
    const asked = sql`select key from json_each(${asKeys(["a"])})`;
    const steps = (id: number) => [
      thing(id),
      optional`delete from things where id = ${-1}`,
      step("asked", asked),
      step("renamed", rename(id)),
      step("removed", remove(id)),
    ];
    await db.batch(steps(1));
    for (const [what, given, outcome, round] of [
      ["done", steps(2), "done", "QBESBESBESBESBESQ"],
      ["a name", [...steps(3), step("gone", remove(3))], "gone", "QBESBESBESBESBESBESQ"],
      ["no name", [...steps(4), remove(9)], "unchanged", "QBESBESBESBESBESBESQ"],
    ] as const) {
      await db.batch(given);
      proxy.clear();
      assert.equal(await db.batch(given), outcome, what);
      assert.deepEqual([proxy.roundTrips(), proxy.sent()], [1, round], what);
    }
    assert.equal(await db.batch([thing(5), step("none", nothing), thing(5)]), "none");
    await assert.rejects(db.batch([thing(6), sql`select 1 / ${0}`]), /division/);
    assert.deepEqual(await ids(db), []);
  });

  test("a batch with a value that is undefined: rejected, and nothing is written", async (t) => {
    const { db } = await open(t);
    const missing = undefined as unknown as Value;
    await assert.rejects(
      db.batch([thing(1), sql`insert into things (id) values (${missing})`, thing(2)]),
      TypeError,
    );
    assert.deepEqual(await ids(db), []);
    assert.equal(await db.batch([thing(1)]), "done");
  });

  test("after queries that fail midway, others on their connections get all of their rows", async (t) => {
    const { db } = await open(t);
    await db.batch([thing(1), thing(2)]);
    const failing = sql`select 1 / (n - 50) as one from generate_series(1, 100) as n`;
    const fail = () => [db.all(...failing), db.head(10_000, ...failing), db.get(...failing)];
    const one = (id: number) => db.get<{ id: number }>`select id from things where id = ${id}`;
    const list = sql`select id from things order by id`;
    const both = [{ id: 1 }, { id: 2 }];
    for (const [name, read, expected] of [
      ["one row", async () => [await one(1), await one(2)], both],
      ["rows of one turn", () => Promise.all([one(1), one(2)]), both],
      ["a list", () => db.all(...list), both],
      ["the head of a list", () => db.head(10_000, ...list), { rows: both, more: false }],
      [
        "rows of a write",
        () => db.returning`update things set size = 1 where id = 1 returning id`,
        [{ id: 1 }],
      ],
    ] as [string, () => Promise<unknown>, unknown][]) {
      const failed = await Promise.allSettled(Array.from({ length: 20 }, fail).flat());
      assert.deepEqual(new Set(failed.map(({ status }) => status)), new Set(["rejected"]));
      for (let times = 0; times < 20; times++) assert.deepEqual(await read(), expected, name);
    }
  });

  test("connections that close under turns: what was acknowledged is kept once, and the process goes on", async (t) => {
    const { db, other } = await open(t);
    await db.batch(Array.from({ length: 10 }, (_, id) => thing(id)));
    await Promise.all(Array.from({ length: 10 }, (_, id) => db.run(RESIZE, 0, id)));
    let [stopped, acknowledged, unknown, calls] = [false, 0, 0, 0];
    const add = () => sql`update counters set value = value + 1 where id = ${"a"}`;
    const works: ((id: number) => Promise<number>)[] = [
      async (id) => (await db.returning(GROW, 1, id)).length,
      async () => (await db.returning(COUNT, 1, "a")).length,
      async () => ((await db.batch([add()])) === "done" ? 1 : 0),
      async (id) => ((await db.get`select id from things where id = ${id}`) === undefined ? 1 : 0),
    ];
    const workers = Array.from({ length: 16 }, async (_, worker) => {
      for (let round = 0; !stopped; round++) {
        const work = works[worker % works.length] as (typeof works)[number];
        calls++;
        await work((worker + round) % 10).then(
          (done) => {
            acknowledged += done;
          },
          (error) => {
            if (!(error instanceof Unavailable)) throw error;
            unknown++;
            // While there are no connections, each call is refused at once. Without a pause, the event loop would never open new ones.
            return nextTurn();
          },
        );
      }
    });
    try {
      for (let round = 1; round <= 12; round++) {
        const before = calls;
        await until("it works", () => calls > before + 100);
        await other.all`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and query <> ''`;
      }
    } finally {
      stopped = true;
      await Promise.all(workers);
    }
    const [sizes] = await other.all<{ sum: number }>`select sum(size) as sum from things`;
    const [counter] = await other.all<{ value: number }>`select value from counters`;
    const kept = (sizes?.sum ?? 0) + (counter?.value ?? 0);
    assert.ok(unknown > 0);
    assert.ok(
      acknowledged <= kept && kept <= acknowledged + unknown,
      `${acknowledged} ≤ ${kept} ≤ +${unknown}`,
    );
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atEnd, type Scope } from "../support/service.ts";
import { batchContract } from "./db-batch-contract.ts";
import { rowsContract } from "./db-rows-contract.ts";
import { type Connect, counter, ids, MANY, makeTables, opener, thing } from "./db-tables.ts";

/**
 * Registers the tests that every database driver must pass. `database` creates an empty database and returns a function that connects to
 * it.
 */
export function dbContract(
  name: string,
  skip: string | false,
  database: (scope: Scope) => Promise<Connect>,
): void {
  const open = opener(database);

  describe(`database driver: ${name}`, { skip }, () => {
    test("get returns the first row or undefined, all returns all rows", async (t) => {
      const { db } = await open(t);
      assert.equal(await db.get`select id from things`, undefined);
      assert.deepEqual(await db.all`select id from things`, []);
      await db.batch([thing(1), thing(2)]);
      assert.deepEqual(
        { ...(await db.get<object>`select id, name from things order by id`) },
        {
          id: 1,
          name: "thing 1",
        },
      );
      assert.deepEqual(await ids(db), [1, 2]);
    });

    test("run returns the number of changed rows", async (t) => {
      const { db } = await open(t);
      await db.batch([thing(1), thing(2), thing(3)]);
      assert.equal(await db.run`update things set size = ${1} where id < ${3}`, 2);
      assert.equal(await db.run`update things set size = ${1} where id < ${3}`, 2);
      assert.equal(await db.run`update things set size = ${1} where id = ${4}`, 0);
      assert.equal(
        await db.run`insert into things (id, name) values (${1}, ${"new"}) on conflict do nothing`,
        0,
      );
      assert.equal(await db.run`delete from things`, 3);
      assert.equal(await db.run`delete from things`, 0);
    });

    test("returning returns the rows of a write", async (t) => {
      const { db } = await open(t);
      await db.batch([thing(1), thing(2)]);
      const rows = await db.returning<{ id: number; size: number }>`
        update things set size = ${2.5} where id = ${2} returning id, size`;
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [{ id: 2, size: 2.5 }],
      );
      assert.deepEqual(await db.returning`update things set size = ${1} where id = ${9} returning id`, []);
    });

    rowsContract(open);
    batchContract(open);

    test("a write resolves when other connections can read it", async (t) => {
      const { db, other } = await open(t);
      const writes = Array.from({ length: MANY }, async (_, id) => {
        if (id % 2 === 0) await db.run(...thing(id));
        else await db.batch([thing(id)]);
        return other.get<{ id: number }>`select id from things where id = ${id}`;
      });
      for (const [id, row] of (await Promise.all(writes)).entries()) assert.equal(row?.id, id);
    });

    test("sequential writes are committed in order", async (t) => {
      const { db } = await open(t);
      for (let value = 1; value <= 20; value++) {
        await db.run`update counters set value = ${value}`;
        assert.equal(await counter(db), value);
      }
    });

    test("close resolves after the pending writes", async (t) => {
      const { other, connect } = await open(t);
      const leaving = await connect();
      const write = (id: number): Promise<unknown> =>
        id % 2 === 0 ? leaving.run(...thing(id)) : leaving.batch([thing(id)]);
      const writes = Array.from({ length: 100 }, (_, id) => write(id));
      await leaving.close();
      assert.equal((await ids(other)).length, 100);
      assert.deepEqual(new Set(await Promise.all(writes)), new Set([1, "done"]));
    });

    test("exclusively runs one transaction at a time, and rolls it back on an error", async (t) => {
      const connect = await database(t);
      const [db, other] = [await connect(), await connect()];
      for (const each of [db, other]) atEnd(t, () => each.close());
      await assert.rejects(
        db.exclusively(async (tables) => {
          await tables.exec("create table things (id bigint primary key)");
          throw new Error("given up");
        }),
        /given up/,
      );
      await assert.rejects(other.get`select id from things`, /things/);
      await makeTables(other);
      assert.deepEqual(await ids(db), []);
    });
  });
}

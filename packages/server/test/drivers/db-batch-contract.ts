import assert from "node:assert/strict";
import { test } from "node:test";
import { optional, type Step, sql, step } from "../../src/drivers/db/db.ts";
import { counter, ids, MANY, nothing, type Open, thing } from "./db-tables.ts";

/** Registers the tests of batches (several statements in one transaction), which every database driver must pass. */
export function batchContract(open: Open): void {
  /** Batches: their steps, their outcome, and the ids in `things` afterwards. */
  const batches: [what: string, steps: Step<string>[], outcome: string, kept: number[]][] = [
    ["nothing", [], "done", []],
    ["every step changes something", [thing(1), thing(2)], "done", [1, 2]],
    ["the first changes nothing", [nothing, thing(1)], "unchanged", []],
    ["one in the middle changes nothing", [thing(1), nothing, thing(2)], "unchanged", []],
    ["the last changes nothing", [thing(1), thing(2), nothing], "unchanged", []],
    ["one with a name changes nothing", [thing(1), step("none", nothing), thing(2)], "none", []],
    [
      "every step with a name changes something",
      [step("one", thing(1)), step("two", thing(2))],
      "done",
      [1, 2],
    ],
    ["two with names change nothing", [step("one", nothing), step("two", nothing)], "one", []],
    [
      "one without a name changes nothing before one with a name",
      [nothing, step("none", nothing)],
      "unchanged",
      [],
    ],
    [
      "one that may change nothing",
      [thing(1), optional`delete from things where id = ${9}`, thing(2)],
      "done",
      [1, 2],
    ],
    ["one that may, and does", [thing(1), optional`delete from things where id = ${1}`], "done", []],
    [
      "one that may change nothing, before one with a name",
      [optional`delete from things where id = ${9}`, step("none", nothing)],
      "none",
      [],
    ],
    [
      "a later step sees an earlier one",
      [thing(1), sql`update things set id = ${5} where id = ${1}`],
      "done",
      [5],
    ],
    [
      "what follows a step that changed nothing does not count",
      [thing(1), step("none", nothing), thing(1)],
      "none",
      [],
    ],
    ["a step changes several rows", [thing(1), thing(2), sql`delete from things`], "done", []],
  ];
  for (const [what, steps, outcome, kept] of batches) {
    test(`a batch in which ${what}`, async (t) => {
      const { db, other } = await open(t);
      assert.equal(await db.batch(steps), outcome);
      assert.deepEqual([await ids(db), await ids(other)], [kept, kept]);
    });
  }

  test("an error inside a batch rejects it and rolls it back", async (t) => {
    const { db } = await open(t);
    await db.batch([thing(1)]);
    await assert.rejects(db.batch([thing(2), thing(1), thing(3)]), /unique|duplicate/i);
    await assert.rejects(
      db.batch([thing(2), sql`insert into no_such_table (id) values (${1})`]),
      /no_such_table/,
    );
    assert.deepEqual(await ids(db), [1]);
    assert.equal(await db.batch([thing(2)]), "done");
  });

  test("of concurrent batches that increment a limited counter, as many are committed as the limit", async (t) => {
    const { db, other } = await open(t);
    const done = await Promise.all(
      Array.from({ length: MANY }, (_, index) =>
        (index % 2 === 0 ? db : other).batch([
          step("full", sql`update counters set value = value + 1 where id = ${"a"} and value < ${10}`),
          thing(index),
        ]),
      ),
    );
    assert.deepEqual(
      [done.filter((each) => each === "done").length, done.filter((each) => each === "full").length],
      [10, MANY - 10],
    );
    assert.equal(await counter(db), 10);
    assert.equal((await ids(db)).length, 10);
  });

  test("of concurrent batches that insert the same row, one is committed", async (t) => {
    const { db, other } = await open(t);
    const done = await Promise.all(
      Array.from({ length: MANY }, (_, index) =>
        (index % 2 === 0 ? db : other).batch([
          sql`update counters set value = value + 1 where id = ${"a"}`,
          step(
            "taken",
            sql`insert into things (id, name) values (${1}, ${"one"}) on conflict (id) do nothing`,
          ),
        ]),
      ),
    );
    assert.deepEqual(
      [done.filter((each) => each === "done").length, done.filter((each) => each === "taken").length],
      [1, MANY - 1],
    );
    assert.equal(await counter(db), 1);
  });

  test("a write that fails does not affect others of the same turn", async (t) => {
    const { db } = await open(t);
    await db.run(...thing(1));
    const outcomes = await Promise.allSettled([
      db.run(...thing(2)),
      db.run(...thing(1)),
      db.run`insert into no_such_table (id) values (${1})`,
      db.batch([thing(3), thing(1)]),
      db.batch([thing(4), nothing]),
      db.returning`update counters set value = value - 1 where id = ${"a"} returning value`,
      db.run(...thing(5)),
    ]);
    const failed = outcomes.map(({ status }) => status === "rejected");
    assert.deepEqual(failed, [false, true, true, true, false, true, false]);
    assert.deepEqual(await ids(db), [1, 2, 5]);
    assert.equal(await counter(db), 0);
  });
}

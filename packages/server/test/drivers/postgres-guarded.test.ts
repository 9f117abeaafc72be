import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import {
  type Db,
  type Dependent,
  type OptimisticDb,
  type Schema,
  StaleRows,
  sql,
  UpdateOne,
} from "../../src/drivers/db/db.ts";
import { migrate } from "../../src/drivers/db/migrate.ts";
import { GuardedDb } from "../../src/drivers/db/postgres/guarded-db.ts";
import { postgres } from "../../src/drivers/db/postgres/postgres.ts";
import { RememberedRows } from "../../src/drivers/db/postgres/remembered-rows.ts";
import { atEnd, ENGINES, fileScope } from "../support/service.ts";

const [engine] = ENGINES.filter(({ name }) => name === "postgres");
const scope = fileScope();
const options = { skip: engine?.skip };

type Named = { name: string } & Dependent;

/** Opens a migrated database with the notes 1 to 9. */
async function open(): Promise<Db & Schema> {
  const db = postgres((await engine?.migratedDatabase(scope)) ?? "");
  atEnd(scope, () => db.close());
  await migrate(db);
  await db.run`create table notes (id bigint primary key, text text)`;
  await db.run`insert into notes select id, 'note ' || id from generate_series(1, 9) as id`;
  return db;
}

let opened: Promise<Db & Schema> | undefined;
let people = 0;

/** Adds a person. Returns the database, a function that returns a view for one call, and one that reads the person through a view. */
async function person() {
  opened ??= open();
  const db = await opened;
  const id = `p${++people}`;
  await db.run`insert into users (id, email, name, created_at) values (${id}, ${id}, ${"A"}, ${0})`;
  const read = (view: Db) =>
    view.getCached<Named>`select name, 'person ' || id as depends_on from users where id = ${id}`;
  const begin = () => db.optimistic() as OptimisticDb;
  const rename = (name: string) => db.run`update users set name = ${name} where id = ${id}`;
  // Puts the row into memory.
  await read(begin());
  return { db, id, read, begin, rename };
}

const EDIT = new UpdateOne({ table: "notes", set: "text = ?", key: "id = ?" });
const EDITED = new UpdateOne({
  table: "notes",
  set: "text = ?",
  key: "id = ?",
  also: "text is not null",
  returning: "text",
});

const METHODS: [method: string, call: (db: Db, id: number) => Promise<unknown>, result: unknown][] = [
  ["get", (db, id) => db.get`select text from notes where id = ${id}`, { text: "note 1" }],
  ["all", (db, id) => db.all`select text from notes where id = ${id} order by id desc`, [{ text: "note 1" }]],
  [
    "head",
    (db, id) => db.head(100, ...sql`select text from notes where id = ${id}`),
    { rows: [{ text: "note 1" }], more: false },
  ],
  ["run", (db, id) => db.run`update notes set text = 'note 1' where id = ${id}`, 1],
  [
    "returning",
    (db, id) => db.returning`update notes set text = 'note 1' where id = ${id} returning text`,
    [{ text: "note 1" }],
  ],
  ["run of one row", (db, id) => db.run(EDIT, "note 1", id), 1],
  ["returning of one row", (db, id) => db.returning(EDITED, "note 1", id), [{ text: "note 1" }]],
  ["batch", (db, id) => db.batch([sql`update notes set text = 'note 1' where id = ${id}`]), "done"],
];

/** The results of the methods when no row matches. */
const NONE: Record<string, unknown> = {
  get: undefined,
  all: [],
  head: { rows: [], more: false },
  run: 0,
  returning: [],
  "run of one row": 0,
  "returning of one row": [],
  batch: "unchanged",
};

for (const [method, call, result] of METHODS) {
  test(
    `${method} succeeds on current rows, and fails and changes nothing on a stale one`,
    options,
    async () => {
      const { db, begin, read, rename } = await person();
      const current = begin();
      await read(current);
      assert.deepEqual(await call(current, 1), result);

      const empty = begin();
      await read(empty);
      assert.deepEqual(await call(empty, 100), NONE[method]);

      const stale = begin();
      assert.equal((await read(stale))?.name, "A");
      await rename("B");
      await db.run`update notes set text = 'kept' where id = 1`;
      await assert.rejects(call(stale, 1), StaleRows);
      assert.deepEqual({ ...(await db.get<object>`select text from notes where id = 1`) }, { text: "kept" });
      await db.run`update notes set text = 'note 1' where id = 1`;
      // The call is over: nothing on it succeeds, and the next one reads the row anew.
      await assert.rejects(stale.get`select 1`, StaleRows);
      await assert.rejects(read(stale), StaleRows);
      await assert.rejects(async () => stale.verify(), StaleRows);
      assert.equal((await read(begin()))?.name, "B");
    },
  );
}

test("an update that finds no row leaves the comparison to the next statement", options, async () => {
  const { begin, read, rename } = await person();
  for (const [index, next] of [
    (db: Db) => db.batch([sql`update notes set text = 'x' where id = 5`]),
    (db: Db) => db.run(EDIT, "x", 5),
    (db: OptimisticDb) => db.verify(),
  ].entries()) {
    const [stale, current] = [begin(), begin()];
    await Promise.all([read(stale), read(current)]);
    await current.run(EDIT, "note 5", 5);
    await rename(`B${index}`);
    assert.equal(await stale.run(EDIT, "x", 100), 0);
    await assert.rejects(async () => next(stale), StaleRows);
    assert.deepEqual(await current.get`select text from notes where id = 5`, { text: "note 5" });
    await read(begin());
  }
});

test("of the updates of a turn, those of stale calls fail", options, async () => {
  const { db, begin, read, rename } = await person();
  const other = await person();
  const views = Array.from({ length: 8 }, begin);
  await Promise.all(views.map((view, index) => (index % 2 === 0 ? read(view) : other.read(view))));
  await rename("B");
  const outcomes = await Promise.allSettled(views.map((view, index) => view.run(EDIT, "joined", index + 1)));
  assert.deepEqual(
    outcomes.map((each) => (each.status === "fulfilled" ? each.value : each.reason instanceof StaleRows)),
    [true, 1, true, 1, true, 1, true, 1],
  );
  const edited = await db.all<{ id: number }>`select id from notes where text = 'joined' order by id`;
  assert.deepEqual(
    edited.map(({ id }) => id),
    [2, 4, 6, 8],
  );
});

test("the rows of a guarded statement stay in their order", options, async () => {
  const { begin, read } = await person();
  const view = begin();
  await read(view);
  const rows = await view.all<{ id: number }>`select id from notes where id <= ${7} order by id % 3 desc, id`;
  assert.deepEqual(
    rows.map(({ id }) => id),
    [2, 5, 1, 4, 7, 3, 6],
  );
});

test("verify fails on a stale row, and does nothing without rows or after a success", options, async () => {
  const { begin, read, rename } = await person();
  await begin().verify();
  const [stale, current] = [begin(), begin()];
  await Promise.all([read(stale), read(current)]);
  await current.verify();
  await rename("B");
  await assert.rejects(async () => stale.verify(), StaleRows);
  await current.verify();
  assert.equal((await read(current))?.name, "B", "a verified call reads the row itself");
});

test("rows are remembered between calls, and read once for all who wait", options, async () => {
  const { db, begin, read, rename } = await person();
  const before = await read(begin());
  assert.equal(await read(begin()), before, "the same object");
  const stale = begin();
  await read(stale);
  await rename("B");
  await assert.rejects(async () => stale.verify(), StaleRows);
  const rows = await Promise.all(Array.from({ length: 8 }, () => read(begin())));
  assert.deepEqual([...new Set(rows)].length, 1);
  assert.equal((await read(db))?.name, "B");
});

test(
  "a missing row is not remembered, and a call that finds another one reading it reads it again",
  options,
  async () => {
    const { db } = await person();
    const answers: PromiseWithResolvers<unknown>[] = [];
    const get = () => {
      const answer = Promise.withResolvers<unknown>();
      answers.push(answer);
      return answer.promise;
    };
    const slow = { ...db, get } as Db;
    const rows = new RememberedRows(slow);
    const find = () =>
      new GuardedDb(slow, rows)
        .getCached<Named>`select name, '' as depends_on from users where id = ${"later"}`;
    const [first, second] = [find(), find()];
    assert.equal(answers.length, 1);
    // The first read was before the person was added, and the second call may have begun after it.
    answers[0]?.resolve(undefined);
    assert.equal(await first, undefined);
    await turn();
    assert.equal(answers.length, 2);
    answers[1]?.resolve({ name: "L", depends_on: "", epochs: "{}" });
    assert.equal((await second)?.name, "L");
    assert.equal((await find())?.name, "L");
    assert.equal(answers.length, 2);
  },
);

test("of several statements at once, the first compares and the others wait for it", options, async () => {
  const { begin, read, rename } = await person();
  const stale = begin();
  await read(stale);
  await rename("B");
  const outcomes = await Promise.allSettled([
    stale.run`update notes set text = 'x' where id = 2`,
    stale.run`update notes set text = 'x' where id = 3`,
    stale.get`select text from notes where id = 4`,
  ]);
  assert.deepEqual(
    outcomes.map((each) => each.status === "rejected" && each.reason instanceof StaleRows),
    [true, true, true],
  );
});

test("two rows that disagree about an epoch are stale", options, async () => {
  const { begin, read, id, rename } = await person();
  const byEmail = (view: Db) =>
    view.getCached<Named>`select name, 'person ' || id as depends_on from users where email = ${id}`;
  await rename("B");
  await byEmail(begin());
  const view = begin();
  await read(view);
  await assert.rejects(byEmail(view), StaleRows);
  assert.equal((await read(begin()))?.name, "B");
});

test("an error of a statement is not taken for a stale row", options, async () => {
  const { begin, read } = await person();
  const view = begin();
  await read(view);
  await assert.rejects(view.run`insert into notes (id) values (1)`, { code: "23505" });
  await view.verify();
});

test("the epochs of a change that is rolled back stay", options, async () => {
  const { db, begin, read, id } = await person();
  const steps = [
    sql`update users set name = 'C' where id = ${id}`,
    sql`update notes set text = 'x' where id = 99`,
  ];
  assert.equal(await db.batch(steps), "unchanged");
  const view = begin();
  await read(view);
  await view.verify();
});

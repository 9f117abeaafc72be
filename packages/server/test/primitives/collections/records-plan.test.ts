import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { readConfig } from "../../../src/config/config.ts";
import { type Sql, statementOf, textOf, type Value } from "../../../src/drivers/db/db.ts";
import { migrate } from "../../../src/drivers/db/migrate.ts";
import { openDb } from "../../../src/drivers/index.ts";
import { parseQuery, parseWhere } from "../../../src/primitives/collections/record-query.ts";
import { RecordStore } from "../../../src/primitives/collections/store.ts";
import { SubmissionStore } from "../../../src/primitives/submissions/store.ts";
import { times } from "../../drivers/databases.ts";
import { changedDb } from "../../support/changed-db.ts";
import { temporaryDirectory } from "../../support/service.ts";
import { named } from "./record-figures.ts";

/*
 * Tests SQLite's query plans for all statements on records and submissions: each reads along an index, in the order of that index, so that
 * no request takes longer because another collection is full.
 */

const scope = { after };
const file = `${await temporaryDirectory(scope)}/easel.db`;
const db = await openDb(readConfig({ SERVICE_DATABASE_URL: `sqlite:${file}` }), assert.ifError);
await migrate(db);
after(() => db.close());

/** The values of the last run of each statement, keyed by its text. */
const seen = new Map<string, Value[]>();
function noted([text, ...values]: Sql): Sql {
  seen.set(textOf(text).replace(/\s+/g, " ").trim(), values);
  return [text, ...values];
}

/** Wraps a database to record its statements. */
const noting = changedDb(db, {
  get: (...each) => db.get(...noted(each)),
  all: (...each) => db.all(...noted(each)),
  head: (size, ...each) => db.head(size, ...noted(each)),
  run: (...each) => db.run(...noted(each)),
  returning: (...each) => db.returning(...noted(each)),
  batch(steps) {
    for (const each of steps) noted(statementOf(each));
    return db.batch(steps);
  },
});

const ANY = { own: true, any: true };
const OWN = { own: true, any: false };

async function everyStatement(): Promise<void> {
  const records = new RecordStore(noting, "canvas", "board", "u-1");
  const made = await times(20, (index) => records.create({ n: index, t: `t${index}` }, index));
  const id = made[0]?.id ?? "";
  const orders = ["createdAt", "updatedAt", "value.n"].flatMap((by) => [by, `-${by}`]);
  const filters = [
    {},
    { "value.n": 1 },
    { "value.t": "t1" },
    { authorId: "u-1" },
    { "value.n": 1, "value.t": { startsWith: "t" } },
    { "value.n": { gte: 1, lt: 9 } },
    { "value.n": { gt: 1, lt: 9 }, authorId: "u-1" },
  ];
  for (const right of [ANY, OWN]) {
    await records.get(id, right);
    for (const filter of filters)
      await records.count(right, parseWhere({ where: JSON.stringify(filter) }) ?? []);
    for (const orderBy of orders) {
      for (const filter of filters) {
        const query = { orderBy, where: JSON.stringify(filter), limit: "2" };
        const { nextCursor } = await records.list(parseQuery(query), right);
        if (nextCursor !== null) await records.list(parseQuery({ ...query, cursor: nextCursor }), right);
      }
    }
  }
  await records.update(named(id), 1, 2);
  const unique = ["value.n", "authorId", "value.t"];
  for (const count of [1, 2, 3]) {
    const votes = new RecordStore(noting, "canvas", "votes", "u-1", unique.slice(0, count));
    const vote = await votes.create({ n: count, t: `t${count}` }, 1);
    await votes.update(named(vote?.id ?? ""), { n: 9, t: "t9" }, 2);
    await votes.delete(vote?.id ?? "");
  }
  await records.increment(id, 1, 3);
  await records.delete(id);
  await records.clear(OWN);
  await records.clear(ANY);
  const submissions = new SubmissionStore(noting, "canvas", "poll");
  await submissions.put("u-1", "1", 1);
  await submissions.put("u-1", "2", 2);
  await submissions.get("u-1");
  await submissions.list({ cursor: "", limit: 2 });
  await submissions.delete("u-1");
  await submissions.clear();
}
await everyStatement();
const statements = new Map(seen);

const connection = new DatabaseSync(file, { readOnly: true });
after(() => connection.close());

/** Returns the steps of SQLite's query plan for a statement. */
const planOf = (text: string, values: Value[]) =>
  connection
    .prepare(`explain query plan ${text}`)
    .all(...values)
    .map(({ detail }) => String(detail));

test("input of callers is bound as values, and never part of a statement", async () => {
  seen.clear();
  await everyStatement();
  assert.deepEqual([...seen.keys()].sort(), [...statements.keys()].sort());
});

test("an equality, and the bounds of the field in `orderBy`, are searched in the index", async () => {
  const stepOf = async (query: Record<string, string>) => {
    seen.clear();
    await new RecordStore(noting, "canvas", "board", "u-1").list(parseQuery(query), ANY);
    const [[text, values] = ["", []]] = seen;
    return planOf(text, values)[0];
  };
  const equal = await stepOf({ where: '{"value.t":"t1","value.n":{"gt":0}}' });
  assert.match(equal ?? "", /name=\? AND key=\? AND record_id>\?/);
  const bounded = await stepOf({ where: '{"value.n":{"gte":3,"lt":9}}', orderBy: "value.n" });
  assert.match(
    bounded ?? "",
    /name=\? AND key>\? AND key<\?|name=\? AND \(key,record_id\)>\(\?,\?\) AND key<\?/,
  );
  const own = await stepOf({ where: '{"authorId":"u-1"}' });
  assert.match(own ?? "", /author_id=\? AND id>\?/);
});

/** Whether a statement lists the records of one author in another order than that of their creation. */
const isSorted = (text: string) => / r\.author_id = \? .*order by (\+r\.updated_at|o\.key)/.test(text);

for (const [text, values] of statements) {
  test(`${text.slice(0, 100)}…`, () => {
    const plan = planOf(text, values);
    for (const step of plan) {
      assert.doesNotMatch(step, /^SCAN (?!CONSTANT ROW|batch)/, plan.join("\n"));
      if (!isSorted(text)) assert.doesNotMatch(step, /TEMP B-TREE/, plan.join("\n"));
    }
    const reads = plan.filter((step) => step.startsWith("SEARCH"));
    for (const step of reads) assert.match(step, / USING (COVERING )?INDEX \w+ \(\w+=\?/, plan.join("\n"));
    if (/\b(from|update) (records|record_fields|submissions)\b/.test(text))
      assert.notEqual(reads.length, 0, plan.join("\n"));
  });
}

test("the index is searched from the cursor on", () => {
  for (const [text, values] of statements) {
    if (!/ order by (r|o)\./.test(text) || isSorted(text)) continue;
    const [first = ""] = planOf(text, values);
    assert.match(first, /canvas_id=\? AND collection=\?.*[<>]\(?\?/, `${text}\n${first}`);
  }
});

test("a list of one author reads the records of this author alone, in whatever order", () => {
  const sorted = [...statements].filter(([text]) => isSorted(text));
  assert.ok(sorted.length >= 8);
  for (const [text, values] of sorted) {
    const plan = planOf(text, values);
    assert.match(
      plan[0] ?? "",
      /^SEARCH r USING INDEX records_of_author \(canvas_id=\? AND collection=\? AND author_id=\?\)/,
      plan.join("\n"),
    );
    for (const step of plan.slice(1))
      assert.doesNotMatch(
        step,
        /SEARCH (?!o |f )|SEARCH o (?!USING INDEX record_fields_of_record \(record_id=\? AND name=\?\))/,
        plan.join("\n"),
      );
  }
});

test("the count of all records reads one row, however many there are", () => {
  const counts = [...statements].filter(([text]) => /^select rows from counts/.test(text));
  assert.equal(counts.length, 1);
});

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { textOf } from "../../src/drivers/db/db.ts";
import { type AuditFilter, searchAudit } from "../../src/organisation/audit-search.ts";
import { onDatabases } from "../drivers/databases.ts";
import { planning } from "../support/plans.ts";

/*
 * Tests the query plans of the search in an audit log with 60,000 entries, one a minute: each page is read along one index, and a statement
 * looks at the entries of one slice at most.
 */

const COUNT = 60_000;
const SLICE = 2_000;
const MINUTE_MS = 60_000;
/** 19 October 2025, and the day after. */
const START = Date.parse("2025-10-19");
const DAY_MS = 24 * 60 * MINUTE_MS;

/** PostgreSQL may read a short range of time along the primary key, and filter it. */
const SEARCHES: [what: string, filter: AuditFilter, index: RegExp][] = [
  ["everything", {}, /audit_pkey|sqlite_autoindex_audit_1/],
  ["an actor by address", { actor: "p1@acme.test" }, /audit_of_address/],
  ["an actor by id", { actor: "u-1" }, /audit_of_actor/],
  ["an act", { act: "act.1" }, /audit_of_act\b/],
  ["a target", { target: "t-1" }, /audit_of_target/],
  ["a canvas", { canvas: "c-1" }, /audit_of_canvas\b/],
  ["an actor and an act", { actor: "p1@acme.test", act: "act.3" }, /audit_of_address/],
  ["a target and a canvas", { target: "t-1", canvas: "c-2" }, /audit_of_target/],
  ["a text", { q: "needle" }, /audit_pkey|sqlite_autoindex_audit_1/],
  ["a day", { from: START + DAY_MS, to: START + 2 * DAY_MS }, /audit_pkey|sqlite_autoindex_audit_1/],
  [
    "an actor on a day",
    { actor: "p1@acme.test", from: START + DAY_MS, to: START + 2 * DAY_MS },
    /audit_of_address|audit_pkey/,
  ],
];

await onDatabases("plans of the search in the audit log", (db) => {
  const plans = planning(db);
  const { seen, planOf } = plans;

  before(async () => {
    const series = plans.numbers(COUNT);
    const hex = plans.isSqlite ? "printf('%012x', at)" : "lpad(to_hex(at), 12, '0')";
    await plans.run(`${series}, times as (select n, cast(${START} + cast(n as bigint) * ${MINUTE_MS} as bigint) as at from numbers)
        insert into audit (id, at, actor_id, actor_email, act, canvas_id, target, address)
        select substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-7000-8000-000000000000', at, 'u-' || (n % 50),
          'p' || (n % 50) || '@acme.test', 'act.' || (n % 700), 'c-' || (n % 600), 't-' || (n % 300), '::1' from times`);
    await plans.analyze("audit");
  });

  for (const [what, filter, index] of SEARCHES)
    test(`${what}: a page is read along an index, slice by slice`, async () => {
      seen.length = 0;
      let cursor: string | null = "z";
      const ids: string[] = [];
      for (let pages = 0; pages < 2 && cursor !== null; pages++) {
        const page: Awaited<ReturnType<typeof searchAudit>> = await searchAudit(
          filter,
          { cursor, limit: 10 },
          { db: plans.db },
        );
        ids.push(...page.entries.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      assert.deepEqual(ids, ids.toSorted().reverse());
      assert.ok(seen.length >= 2 && seen.length <= 40, String(seen.length));
      for (const statement of new Map(seen.map((each) => [textOf(each[0]), each])).values()) {
        const plan = await planOf(statement);
        assert.match(plan, index, plan);
        assert.doesNotMatch(plan, /SCAN audit\b(?! USING)|Seq Scan on audit/, plan);
        assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY(?![\s\S]*slice)/, plan);
        for (const [, rows] of plan.matchAll(/ on audit .*actual time=\S+ rows=(\d+)/g))
          assert.ok(Number(rows) <= SLICE, plan);
      }
    });
});

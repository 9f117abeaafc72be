import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Env } from "../../src/env.ts";
import { listOfCanvas } from "../../src/organisation/audit.ts";
import { onDatabases } from "../drivers/databases.ts";
import { planning } from "../support/plans.ts";

/*
 * Tests the query plans of the activity of a canvas with 100 of the 50,000 entries of the audit log, of which few are of the act that is
 * asked for: a page reads the rows of a page along an index.
 */

const COUNT = 50_000;

await onDatabases("plans of the activity of a canvas", (db) => {
  const plans = planning(db);
  const { seen, planOf } = plans;

  before(async () => {
    const series = plans.numbers(COUNT);
    await plans.run(`${series} insert into audit (id, at, actor_id, actor_email, act, canvas_id, address)
        select 'a' || (100000 + n), n, 'u', 'u@acme.test',
          case n % 2000 when 0 then 'canvas.share' when 500 then 'canvas.publish' else 'canvas.deploy' end,
          'c-' || (n % 500), '::1' from numbers`);
    await plans.analyze("audit");
  });

  for (const acts of [null, ["canvas.share"], ["canvas.publish", "canvas.share", "canvas.deploy"]])
    test(`${acts?.join(" and ") ?? "all acts"}: a page reads a page's rows along an index`, async () => {
      seen.length = 0;
      const ask = { canvas: "c-0", acts, limit: 5 };
      const first = await listOfCanvas({ ...ask, cursor: "z" }, { db: plans.db } as unknown as Env);
      const second = await listOfCanvas({ ...ask, cursor: first.at(-1)?.id ?? "" }, {
        db: plans.db,
      } as unknown as Env);
      const ids = [...first, ...second].map(({ id }) => id);
      assert.equal(ids.length, 10);
      assert.deepEqual(ids, ids.toSorted().reverse());
      assert.equal(seen.length, 2 * (acts?.length ?? 1));
      for (const statement of seen) {
        const plan = await planOf(statement);
        // Most entries are deploys, which PostgreSQL may as well filter.
        const isCommon = !plans.isSqlite && statement.includes("canvas.deploy");
        const index =
          acts === null ? "audit_of_canvas" : isCommon ? "audit_of_canvas\\w*" : "audit_of_canvas_by_act";
        assert.match(
          plan,
          plans.isSqlite
            ? new RegExp(`USING INDEX ${index} `)
            : new RegExp(`Index Scan Backward using ${index} on audit`),
          plan,
        );
        assert.doesNotMatch(plan, /SORT|TEMP B-TREE/i, plan);
        for (const [, rows] of plan.matchAll(/ on audit .*actual time=\S+ rows=(\d+)/g))
          assert.ok(Number(rows) <= 5, plan);
      }
    });
});

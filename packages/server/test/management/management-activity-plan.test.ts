import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Sql, sqlText, textOf, type Value } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { listOfCanvas } from "../../src/organisation/audit.ts";
import { onDatabases } from "../drivers/databases.ts";
import { changedDb } from "../support/changed-db.ts";

/*
 * Tests the query plans of the activity of a canvas with 100 of the 50,000 entries of the audit log, of which few are of the act that is
 * asked for: a page reads the rows of a page along an index.
 */

const COUNT = 50_000;

await onDatabases("plans of the activity of a canvas", (db) => {
  const seen: Sql[] = [];
  const noting = changedDb(db, {
    all(...statement) {
      seen.push(statement);
      return db.all(...statement);
    },
  });
  let sqlite = false;

  before(async () => {
    sqlite = await db.get`select sqlite_version()`.then(
      () => true,
      () => false,
    );
    const series = sqlite
      ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${COUNT - 1})`
      : `with numbers as (select generate_series(0, ${COUNT - 1}) as n)`;
    await db.run(
      sqlText(`${series} insert into audit (id, at, actor_id, actor_email, act, canvas_id, address)
        select 'a' || (100000 + n), n, 'u', 'u@acme.test',
          case n % 2000 when 0 then 'canvas.share' when 500 then 'canvas.publish' else 'canvas.deploy' end,
          'c-' || (n % 500), '::1' from numbers`),
    );
    if (!sqlite) await db.run(sqlText("analyze audit"));
  });

  async function planOf([text, ...values]: Sql): Promise<string> {
    if (sqlite) {
      const steps = await db.all<{ detail: string }>(
        sqlText(`explain query plan ${textOf(text)}`),
        ...(values as Exclude<Value, Uint8Array>[]),
      );
      return steps.map(({ detail }) => detail).join("\n");
    }
    const lines = await db.all<Record<string, string>>(
      sqlText(`explain (analyze) ${textOf(text)}`),
      ...values,
    );
    return lines.map((line) => String(line["QUERY PLAN"]).trim()).join("\n");
  }

  for (const acts of [null, ["canvas.share"], ["canvas.publish", "canvas.share", "canvas.deploy"]])
    test(`${acts?.join(" and ") ?? "all acts"}: a page reads a page's rows along an index`, async () => {
      seen.length = 0;
      const ask = { canvas: "c-0", acts, limit: 5 };
      const first = await listOfCanvas({ ...ask, cursor: "z" }, { db: noting } as unknown as Env);
      const second = await listOfCanvas({ ...ask, cursor: first.at(-1)?.id ?? "" }, {
        db: noting,
      } as unknown as Env);
      const ids = [...first, ...second].map(({ id }) => id);
      assert.equal(ids.length, 10);
      assert.deepEqual(ids, ids.toSorted().reverse());
      assert.equal(seen.length, 2 * (acts?.length ?? 1));
      for (const statement of seen) {
        const plan = await planOf(statement);
        // Most entries are deploys, which PostgreSQL may as well filter.
        const isCommon = !sqlite && statement.includes("canvas.deploy");
        const index =
          acts === null ? "audit_of_canvas" : isCommon ? "audit_of_canvas\\w*" : "audit_of_canvas_by_act";
        assert.match(
          plan,
          sqlite
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

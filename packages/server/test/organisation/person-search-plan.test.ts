import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Env } from "../../src/env.ts";
import { findPeople } from "../../src/organisation/person-search.ts";
import { onDatabases } from "../drivers/databases.ts";
import { planning } from "../support/plans.ts";

/*
 * Tests the query plans of the search for people among 10,000, of whom all have a name that the search begins: it reads a bounded number of
 * words along an index, and of the table of people only some rows by their ids.
 */

const COUNT = 10_000;

await onDatabases("plans of the search for people", (db) => {
  const plans = planning(db);
  const { seen, planOf } = plans;

  before(async () => {
    const series = plans.numbers(COUNT);
    await db.run`insert into orgs (id, name, created_at) values ('acme', 'Acme', 0)`;
    await db.run`insert into org_domains (domain, org_id) values ('acme.test', 'acme'), ('acme.example', 'acme')`;
    await plans.run(`${series} insert into users (id, email, name, created_at)
        select 'u-' || n, 'p' || n || case n % 3 when 0 then '@acme.test' when 1 then '@acme.example' else '@other.test' end,
          'Person Number' || n, 0 from numbers`);
    await plans.run(`${series} insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
        select 'c-' || n, 'c-' || n, 'T', 'u-' || (n % 100), 'u-0', 0, 0 from numbers`);
    await plans.run(`${series} insert into canvas_people (canvas_id, email, role)
        select 'c-' || n, 'p' || ((n + 100) % 2000) || '@other.test', 'viewer' from numbers`);
    await plans.run(
      `${series} insert into teams (id, name, created_by, created_at) select 't-' || n, 'T', 'u-' || n, 0 from numbers where n < 1000`,
    );
    await plans.run(
      `${series} insert into team_members (team_id, email) select 't-' || (n % 1000), 'p' || n || '@acme.test' from numbers`,
    );
    await plans.analyze("users", "person_words", "canvases", "canvas_people", "teams", "team_members");
  });

  for (const tenancy of [false, true]) {
    for (const canvas of [null, "c-0"]) {
      for (const q of ["p", "number1 pers", "p0@acme"]) {
        test(`${q}, tenancy ${tenancy}, canvas ${canvas}: people are read by their ids, words along an index`, async () => {
          seen.length = 0;
          const env = { db: plans.db, config: { tenancy } } as unknown as Env;
          const found = await findPeople({ id: "u-3", email: "p3@acme.test" }, q, canvas, env);
          assert.ok(found.length <= 10);
          assert.equal(found.length === 10, q !== "p0@acme");
          assert.equal(seen.length, tenancy ? 4 : 1);
          for (const statement of seen) {
            const plan = await planOf(statement);
            const grows = plans.isSqlite
              ? /^SCAN (users|person_words|canvases|canvas_people|team_members|teams)\b/m
              : /Seq Scan on (users|person_words|canvases)\b/;
            assert.doesNotMatch(plan, grows, plan);
            const rows = [
              ...plan.matchAll(/ on (?:users|person_words) .*actual time=\S+ rows=(\d+) loops=(\d+)/g),
            ];
            for (const [, each, loops] of rows) assert.ok(Number(each) * Number(loops) <= 2_500, plan);
          }
        });
      }
    }
  }
});

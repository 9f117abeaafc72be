import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Env } from "../../src/env.ts";
import { endApps, listApps } from "../../src/identity/app-list.ts";
import { listClients, tokensInUse } from "../../src/organisation/app-clients.ts";
import { onDatabases } from "../drivers/databases.ts";
import { planning } from "../support/plans.ts";

/*
 * Tests the query plans of the lists of 20,000 connected tools of 2,000 people and 50 programs, with 200 tokens for AI tools: each list reads
 * along an index, and none reads all tools.
 */

const COUNT = 20_000;
const PEOPLE = 2_000;
const CLIENTS = 50;

await onDatabases("plans of the lists of connected tools", (db) => {
  const plans = planning(db);
  const { seen, planOf } = plans;
  const env = () => ({ db: plans.db, clock: () => 1 }) as unknown as Env;

  before(async () => {
    const people = plans.numbers(PEOPLE);
    await plans.run(
      `${people} insert into users (id, email, name, created_at) select 'u' || n, 'u' || n || '@acme.test', 'U', 0 from numbers`,
    );
    const series = plans.numbers(COUNT);
    await plans.run(`${series} insert into apps (id, user_id, client_id, client_name, verified, scope, own_only, confirms, created_at)
      select 'a' || (100000 + n), 'u' || (n % ${PEOPLE}), case n % 100 when 0 then 'a' || (100000 + n) else 'client-' || (n % ${CLIENTS}) end,
        'C', 1, 'full', 0, 1, 0 from numbers`);
    await plans.analyze("users", "apps");
  });

  const LISTS: [what: string, index: RegExp, most: number, read: () => Promise<unknown>][] = [
    [
      "the tools of a person",
      /apps_of_user/,
      3,
      () => listApps({ id: "u1", email: "u1@acme.test" }, { cursor: "z", limit: 2 }, env()),
    ],
    [
      "the end of one of a person",
      /apps_of_user|apps_pkey|autoindex_apps_1/,
      12,
      () => endApps("none", "u1", env()),
    ],
    [
      "a page of programs",
      /apps_of_client/,
      COUNT / 10,
      () => listClients({ after: "client-1", limit: 1 }, env()),
    ],
    ["tokens that people have created", /apps_without_client/, COUNT / 100, () => tokensInUse(env())],
  ];
  for (const [what, index, most, read] of LISTS)
    test(`${what}: along an index`, async () => {
      seen.length = 0;
      await read();
      assert.equal(seen.length, 1);
      for (const statement of seen) {
        const plan = await planOf(statement);
        assert.match(plan, index, plan);
        assert.doesNotMatch(plan, /SCAN apps\b(?! USING)|Seq Scan on apps/, plan);
        for (const [, rows] of plan.matchAll(/ on apps .*actual time=\S+ rows=(\d+)/g))
          assert.ok(Number(rows) <= most, plan);
      }
    });
});

import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Env } from "../../src/env.ts";
import { findHolders, findScimPerson, listScimPeople, PERSON_FILTERS } from "../../src/scim/people-store.ts";
import { onDatabases } from "../drivers/databases.ts";
import { planning } from "../support/plans.ts";

/* Tests the query plans of SCIM among 20,000 people: each person is found along indexes. */

const COUNT = 20_000;

await onDatabases("plans of people of a directory", (db) => {
  const plans = planning(db);
  const { seen, planOf } = plans;

  before(async () => {
    const fill = (into: string, values: string) =>
      plans.run(`${plans.numbers(COUNT)} insert into ${into} select ${values} from numbers where n > -1`);
    await fill("users (id, email, name, created_at)", "'u' || n, 'u' || n || '@acme.test', 'U', 0");
    await fill("scim_people (user_id, user_name)", "'u' || n, 'upn' || n || '@acme.test'");
    await fill(
      "scim_addresses (email, user_id, place, type)",
      "'upn' || n || '@acme.test', 'u' || n, 0, 'work'",
    );
    await fill(
      "scim_addresses (email, user_id, place, type)",
      "'mail' || n || '@acme.test', 'u' || n, 1, 'work'",
    );
    await fill("identities (issuer, subject, user_id, created_at)", "'scim', 'x' || n, 'u' || n, 0");
    await plans.analyze("users", "scim_people", "scim_addresses", "identities");
  });

  const env = () => ({ db: plans.db }) as unknown as Env;
  const asked = {
    userName: "upn7@acme.test",
    addresses: ["upn7@acme.test", "u7@acme.test"],
    externalId: "x7",
  };
  const page = { startIndex: 1, count: 10 };
  const values = { id: "u7", username: "UPN7@acme.test", emails: "u7@acme.test", externalid: "x7" };
  const READS: [what: string, read: () => Promise<unknown>][] = [
    ["one by id", () => findScimPerson("u7", env())],
    ["who has something of a user", () => findHolders(asked, env())],
    ...Object.entries(values).map(([attribute, value]): [string, () => Promise<unknown>] => [
      `a filter by ${attribute}`,
      async () => {
        const filter = PERSON_FILTERS[attribute];
        const { total } = await listScimPeople(filter === undefined ? [] : [filter(value)], page, env());
        assert.equal(total, 1);
      },
    ]),
  ];
  for (const [what, read] of READS)
    test(`${what}: along indexes`, async () => {
      seen.length = 0;
      await read();
      assert.ok(seen.length > 0);
      for (const statement of seen) {
        const plan = await planOf(statement);
        if (plans.isSqlite)
          assert.doesNotMatch(plan, /SCAN (users|scim_people|scim_addresses|identities)\b/, plan);
        else assert.doesNotMatch(plan, /Rows Removed by Filter: \d{3}|rows=\d{4,}[ .]/, plan);
      }
    });
});

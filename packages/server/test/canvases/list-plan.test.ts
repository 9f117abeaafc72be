import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { findForAccess } from "../../src/canvases/access-lookup.ts";
import { listCanvases } from "../../src/canvases/lists.ts";
import { listShared as listSharedWith, visibleTeams } from "../../src/canvases/sharing.ts";
import { findCanvas } from "../../src/canvases/store.ts";
import { readConfig } from "../../src/config/config.ts";
import { type SqlText, textOf, type Value } from "../../src/drivers/db/db.ts";
import { migrate } from "../../src/drivers/db/migrate.ts";
import { openDb } from "../../src/drivers/index.ts";
import type { Env } from "../../src/env.ts";
import { findTeam, findTeamRow, listTeams } from "../../src/organisation/teams.ts";
import { listAuthored } from "../../src/primitives/authoring/store.ts";
import { TRANSFERS } from "../../src/primitives/transfer/transfers.ts";
import { userWith } from "../support/principals.ts";
import { temporaryDirectory } from "../support/service.ts";

/* Tests SQLite's query plans for canvases and teams: a page must not take longer because other people have many of them. */

const scope = { after };
const file = `${await temporaryDirectory(scope)}/easel.db`;
const db = await openDb(readConfig({ SERVICE_DATABASE_URL: `sqlite:${file}` }), assert.ifError);
await migrate(db);
await db.close();
const connection = new DatabaseSync(file, { readOnly: true });
after(() => connection.close());

const person = { ...userWith("u"), email: "a@example.com" };
const asked = { q: "", cursor: "z", limit: 100 };

/** Returns the query plan of each statement that `read` runs, as a list of its steps. */
async function plansOf(read: (env: Env) => Promise<unknown>): Promise<string[][]> {
  const plans: string[][] = [];
  const all = async (text: SqlText, ...values: Exclude<Value, Uint8Array>[]) => {
    const steps = connection.prepare(`explain query plan ${textOf(text)}`).all(...values);
    plans.push(steps.map(({ detail }) => String(detail)));
    return [];
  };
  const get = async (text: SqlText, ...values: Exclude<Value, Uint8Array>[]) =>
    void (await all(text, ...values));
  await read({ db: { all, get, getCached: get }, clock: () => 1 } as unknown as Env);
  return plans;
}

const READS: [name: string, read: (env: Env) => Promise<unknown>][] = [
  ["the canvas at a slug", (env) => findForAccess("tea", "a@example.com", env)],
  ...(
    [
      { list: null, order: "id" },
      { list: null, order: "title", tag: "a" },
      { list: "mine", order: "updated", state: "expired", q: "a" },
      { list: "shared", order: "created", tag: "a" },
      { list: "trash", order: "title", q: "a" },
    ] as const
  ).map((query): (typeof READS)[number] => [
    `a page of canvases ${JSON.stringify(query)}`,
    (env) => listCanvases(person, { ...query, after: null, limit: 100 }, env),
  ]),
  ["a canvas by id", (env) => findCanvas("a", person, env)],
  ["what someone has authored", (env) => listAuthored(person, null, env)],
  ["what someone has authored from a page", (env) => listAuthored(person, "a", env)],
  ["the people and teams of a page", (env) => listSharedWith(["a", "b"], env)],
  ["a page of one's teams", (env) => listTeams(person, asked, env)],
  ["a team", (env) => findTeam("a", person, env)],
  ["a team without its members", (env) => findTeamRow("a", person, env)],
  ["which of these teams one sees", (env) => visibleTeams(["a", "b"], person, env)],
];
for (const [name, read] of READS) {
  test(`${name}: every table is read by an index`, async () => {
    const plans = await plansOf(read);
    assert.notEqual(plans.length, 0);
    for (const plan of plans) {
      assert.ok(
        plan.some((step) => /^SEARCH (canvases|canvas_\w+|teams) USING (COVERING )?INDEX/.test(step)),
        plan.join("\n"),
      );
      for (const step of plan) {
        assert.doesNotMatch(
          step,
          /^SCAN (?!given$|granted$|grants$|owned$|json_each |each_tag )/,
          plan.join("\n"),
        );
      }
    }
  });
}

for (const { part, summary } of TRANSFERS) {
  test(`how much ${part} a canvas has: only the rows of the canvas are read, by an index`, async () => {
    const [plan = [], ...others] = await plansOf((env) =>
      summary({ id: "a", policyRevision: null, phases: null }, env),
    );
    assert.deepEqual(others, []);
    for (const step of plan) assert.doesNotMatch(step, /^SCAN (?!CONSTANT)/, plan.join("\n"));
    assert.match(plan.join("\n"), /SEARCH \w+ USING .*\(canvas_id=\?/);
  });
}

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { listForOrganisation, listOwned, listShared } from "../src/canvases/home-lists.ts";
import { readConfig } from "../src/config.ts";
import type { Value } from "../src/drivers/db/db.ts";
import { migrate } from "../src/drivers/db/migrate.ts";
import { openDb } from "../src/drivers/index.ts";
import type { Env } from "../src/env.ts";
import { temporaryDirectory } from "./support.ts";

/* How SQLite goes about the lists of the home page: nobody's page may take longer because others have many canvases. */

const scope = { after };
const file = `${await temporaryDirectory(scope)}/easel.db`;
const db = await openDb(readConfig({ SERVICE_DATABASE_URL: `sqlite:${file}` }), assert.ifError);
await migrate(db);
await db.close();
const connection = new DatabaseSync(file, { readOnly: true });
after(() => connection.close());

const person = { id: "u", email: "a@example.com", guestOf: null };
const slice = { updatedAt: 1, id: "a", limit: 25 };

/** The steps of the plan of the statement that a list runs. */
async function planOf(list: typeof listOwned, tenancy = false): Promise<string[]> {
  const plan: string[] = [];
  const all = async (text: TemplateStringsArray, ...values: Exclude<Value, Uint8Array>[]) => {
    const steps = connection.prepare(`explain query plan ${text.join("?")}`).all(...values);
    plan.push(...steps.map(({ detail }) => String(detail)));
    return [];
  };
  await list(person, slice, { db: { all }, clock: () => 1, config: { tenancy } } as unknown as Env);
  return plan;
}

test("one's own canvases and those listed: a walk along an index, from the cursor on", async () => {
  for (const [list, tenancy, index] of [
    [listOwned, false, "canvases_of_owner_by_change (owner_id=? AND (updated_at,id)<(?,?))"],
    [listForOrganisation, false, "canvases_listed ((updated_at,id)<(?,?))"],
    [listForOrganisation, true, "canvases_listed_by_org (org_id=? AND (updated_at,id)<(?,?))"],
  ] as const) {
    const plan = await planOf(list, tenancy);
    assert.equal(plan[0], `SEARCH canvases USING INDEX ${index}`);
    assert.ok(!plan.some((step) => /^SCAN|TEMP B-TREE/.test(step)), plan.join("\n"));
  }
});

test("what was shared with someone: found by their address, never by looking at every canvas", async () => {
  const plan = await planOf(listShared);
  assert.ok(
    plan.some((step) => step.startsWith("SEARCH canvases USING INDEX sqlite_autoindex_canvases_1 (id=?)")),
    plan.join("\n"),
  );
  for (const step of plan) assert.doesNotMatch(step, /^SCAN (?!given$|each_grant$)/, plan.join("\n"));
});

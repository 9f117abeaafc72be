import assert from "node:assert/strict";
import { before, test } from "node:test";
import { CANVAS_LISTS, CANVAS_SORTS, type CanvasListName } from "@easel/protocol/management";
import { parsePosition } from "../../src/canvases/list-order.ts";
import { type ListQuery, listCanvases } from "../../src/canvases/lists.ts";
import { type Sql, sqlText, textOf, type Value } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { onDatabases } from "../drivers/databases.ts";
import { changedDb } from "../support/changed-db.ts";
import { userWith } from "../support/principals.ts";

/*
 * Tests the query plans of the lists of canvases, with 10,000 canvases of the person, 10,000 that are listed for their organisation, and as
 * many that they have deleted: a page reads the rows of a page.
 */

const COUNT = 10_000;
const NOW = 1_000_000_000_000;

/** The index that each list is read along in each order. `shared` has none: all that is shared with the person is read. */
const INDEXES: Record<Exclude<CanvasListName, "shared">, Record<(typeof CANVAS_SORTS)[number], string>> = {
  mine: {
    used: "canvases_of_owner_by_use",
    updated: "canvases_of_owner_by_change",
    created: "canvases_of_owner_by_creation",
    title: "canvases_of_owner_by_title",
  },
  trash: {
    used: "canvases_deleted_by_use",
    updated: "canvases_deleted_by_change",
    created: "canvases_deleted_by_creation",
    title: "canvases_deleted_by_title",
  },
  organisation: {
    used: "canvases_listed_by_use",
    updated: "canvases_listed",
    created: "canvases_listed_by_creation",
    title: "canvases_listed_by_title",
  },
};
const OF_ORG = {
  used: "canvases_listed_of_org_by_use",
  updated: "canvases_listed_by_org",
  created: "canvases_listed_of_org_by_creation",
  title: "canvases_listed_of_org_by_title",
};

const person = { ...userWith("u-0"), email: "p0@acme.test" };

await onDatabases("plans of the lists of canvases", (db) => {
  const seen: Sql[] = [];
  const noting = changedDb(db, {
    all(...statement) {
      seen.push(statement);
      return db.all(...statement);
    },
  });
  const envOf = (tenancy: boolean) =>
    ({ db: noting, clock: () => NOW, config: { tenancy } }) as unknown as Env;
  let sqlite = false;

  before(async () => {
    sqlite = await db.get`select sqlite_version()`.then(
      () => true,
      () => false,
    );
    const series = sqlite
      ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${COUNT - 1})`
      : `with numbers as (select generate_series(0, ${COUNT - 1}) as n)`;
    const insert = (text: string) => db.run(sqlText(`${series} ${text}`));
    await db.run`insert into orgs (id, name, created_at) values ('acme', 'Acme', 0)`;
    await db.run`insert into org_domains (domain, org_id) values ('acme.test', 'acme')`;
    await insert(`insert into users (id, email, name, created_at)
      select 'u-' || n, 'p' || n || '@acme.test', 'P ' || n, 0 from numbers where n < 200`);
    // Several canvases have the same title and the same times of change and of use.
    const canvas = (prefix: string, owner: string, deleted: string, listed: boolean) =>
      insert(`insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at, last_used_at, version_id, org_id,
          access, discoverability, deleted_at)
        select '${prefix}-' || (100000 + n), '${prefix}-' || n, 'Title ' || (n % 5000), ${owner}, 'u-0', 0, n % 5000, n % 4000, 'v', 'acme',
          '${listed ? "whole_org" : "private"}', '${listed ? "listed" : "link_only"}', ${deleted} from numbers`);
    await canvas("a", "'u-0'", "null", false);
    await canvas("b", "'u-' || (1 + n % 199)", "null", true);
    await canvas("c", "'u-0'", `${NOW}`, false);
    await db.run`update canvases set org_id = 'other' where id like 'b-10_00%'`;
    await insert(`insert into canvas_people (canvas_id, email, role)
      select 'b-' || (100000 + n), 'p' || (n % 200) || '@acme.test', 'viewer' from numbers`);
    if (!sqlite)
      for (const table of ["canvases", "canvas_people", "users"]) await db.run(sqlText(`analyze ${table}`));
  });

  /** Returns the query plan of a statement, in the words of the database engine. */
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

  /** Reads the first and a later page of a list. Returns the plans of the statements that find the canvases of a page. */
  async function plansOf(query: Pick<ListQuery, "list" | "order">, tenancy: boolean): Promise<string[]> {
    seen.length = 0;
    const first = await listCanvases(person, { ...query, after: null, limit: 100 }, envOf(tenancy));
    assert.equal(first.entries.length, query.list === "shared" ? 50 : 100);
    const after = parsePosition(query.order, first.nextCursor ?? "");
    if (query.list !== "shared") assert.notEqual(after, null);
    if (after !== null) {
      const second = await listCanvases(person, { ...query, after, limit: 100 }, envOf(tenancy));
      const ids = new Set([...first.entries, ...second.entries].map(({ id }) => id));
      assert.equal(ids.size, 200);
    }
    const plans = [];
    for (const [text, ...values] of seen.filter(([text]) => textOf(text).includes("as bytes")))
      plans.push(await planOf([text, ...values]));
    return plans;
  }

  for (const tenancy of [false, true]) {
    for (const list of CANVAS_LISTS) {
      for (const sort of CANVAS_SORTS) {
        test(`${list} by ${sort}, tenancy ${tenancy}: a page reads a page's rows along an index`, async () => {
          const plans = await plansOf({ list, order: sort }, tenancy);
          assert.equal(plans.length, list === "shared" ? 1 : 2);
          for (const plan of plans) {
            assert.doesNotMatch(
              plan,
              sqlite ? /^SCAN canvases(?! USING INDEX canvases_listed)/m : /Seq Scan on canvases/,
              plan,
            );
            if (list === "shared") continue;
            const index = list === "organisation" && tenancy ? OF_ORG[sort] : INDEXES[list][sort];
            assert.match(plan, new RegExp(`(INDEX|using) ${index}\\b`), plan);
            assert.doesNotMatch(plan, sqlite ? /TEMP B-TREE/ : /Sort|Bitmap Heap Scan on canvases/, plan);
            const removed = [
              ...plan.matchAll(/on canvases .*\n(?:(?!->).*\n)*?Rows Removed by Filter: (\d+)/g),
            ];
            for (const [, rows] of removed) assert.ok(Number(rows) <= 10, plan);
          }
        });
      }
    }
  }

  test("the canvases of a page are read by their ids", async () => {
    seen.length = 0;
    await listCanvases(person, { list: "mine", order: "title", after: null, limit: 100 }, envOf(false));
    const [, read = assert.fail()] = seen;
    assert.equal(seen.length, 2);
    assert.doesNotMatch(await planOf(read), sqlite ? /^SCAN canvases/m : /Seq Scan on canvases/);
  });

  for (const order of ["id", ...CANVAS_SORTS] as const) {
    test(`without a list, by ${order}: of the canvases that the person owns, a page is read`, async () => {
      seen.length = 0;
      const { entries } = await listCanvases(
        person,
        { list: null, order, after: null, limit: 100 },
        envOf(false),
      );
      assert.equal(entries.length, 100);
      const plan = await planOf(seen[0] ?? assert.fail());
      assert.doesNotMatch(plan, sqlite ? /^SCAN canvases/m : /Seq Scan on canvases/, plan);
      const read = [...plan.matchAll(/ on canvases .*actual time=\S+ rows=(\d+) loops=(\d+)/g)];
      assert.equal(read.length > 0, !sqlite);
      for (const [, rows, loops] of read) assert.ok(Number(rows) * Number(loops) <= 200, plan);
    });
  }

  test("shared, filtered: only canvases that are shared with the person are read", async () => {
    seen.length = 0;
    await listCanvases(
      person,
      { list: "shared", order: "created", after: null, limit: 100, q: "title" },
      envOf(false),
    );
    const plan = await planOf(seen[0] ?? assert.fail());
    assert.doesNotMatch(plan, sqlite ? /^SCAN canvases/m : /Seq Scan on canvases/, plan);
  });
});

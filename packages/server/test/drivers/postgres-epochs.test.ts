import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, it } from "node:test";
import { cast, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { makeTeam } from "@easel/conformance/team";
import { tokenOf } from "@easel/conformance/token";
import connect from "postgres";
import { findForAccess } from "../../src/canvases/access-lookup.ts";
import {
  type Db,
  type Derived,
  type SqlText,
  textOf,
  type Value,
  valueFor,
} from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { appOfToken } from "../../src/identity/apps.ts";
import { findPerson } from "../../src/identity/identities.ts";
import { findSession, sessionById } from "../../src/identity/session.ts";
import { tokenUser, tokenUserById } from "../../src/identity/tokens.ts";
import { upsertUser, userById } from "../../src/identity/users.ts";
import { findGranted } from "../../src/organisation/connections/grants.ts";
import { slugOf } from "../../src/pipeline/resolve.ts";
import { connectTool } from "../support/connected-tool.ts";
import { startDev } from "../support/engines.ts";
import { atEnd, ENGINES, fileScope } from "../support/service.ts";

const SOURCES = path.join(import.meta.dirname, "../../src");
const [engine] = ENGINES.filter(({ name }) => name === "postgres");

/** A statement whose row is remembered, with values for which there is a row. */
interface Remembered {
  name: string;
  text: string;
  values: Value[];
}

/** A table and a column that a statement reads. */
interface Column {
  table: string;
  column: string;
  type: string;
}

/** Tables of which a row is looked up by its key. Only rows that exist are remembered, so a new row changes none. */
const ROOTS = ["sessions", "tokens", "apps", "users", "invites", "canvases", "identities"];

/** Changes of the owner of a canvas that foreign keys refuse. This test drops these, because they would refuse others as well. */
const REFUSED = ["users.id", "removal from users"];

describe("epochs of remembered rows", { skip: engine?.skip }, () => {
  const scope = fileScope();
  let sql: connect.Sql;
  const remembered: Remembered[] = [];

  before(async () => {
    const url = (await engine?.migratedDatabase(scope)) ?? "";
    const { target, env } = await startDev(scope, { SERVICE_DATABASE_URL: url });
    sql = connect(url, { max: 1, fetch_types: false, onnotice() {} });
    atEnd(scope, () => sql.end());
    const people = await cast(target);
    const team = await makeTeam(target, people.owner, [people.stranger]);
    const canvas = await stage(target, { people, terms: { teams: [{ id: team.id, role: "viewer" }] } });
    const guest = await guestOf(target, canvas);
    const token = await tokenOf(target, people.viewer);
    await sql.unsafe(`
      insert into orgs (id, name, created_at) values ('o', 'O', 0);
      insert into org_domains (domain, org_id) values ('example.com', 'o');
      insert into instance_settings (name, value) values ('publicLinks', 'true');
      insert into connection_profiles (name, origin, methods, header_names, enabled, created_at, updated_at)
        values ('weather', 'https://weather.example', '[]', '[]', 1, 0, 0);
      insert into connection_grants (canvas_id, profile, public, created_at) values ('${canvas.id}', 'weather', 0, 0);`);

    /** Notes the statements that `look` remembers. */
    async function note(name: string, look: (env: Env) => Promise<unknown>) {
      const getCached = async <Row>(text: SqlText, ...given: (Value | Derived)[]) => {
        const values = given.map(valueFor);
        remembered.push({ name, text: textOf(text), values });
        return env.db.get<Row>(text, ...values);
      };
      await look({ ...env, db: { ...env.db, getCached } as Db });
    }
    const request = (headers: typeof guest.headers) => ({
      headers: Object.fromEntries(headers.map(([header, value]) => [header.toLowerCase(), value])),
    });
    const session = async (headers: typeof guest.headers) =>
      (await findSession(request(headers), null, env))?.credential.id ?? "";
    const [{ id: userId } = { id: "" }] =
      await sql`select id from users where email = ${people.viewer.email}`;
    await note("a member's session", (to) => findSession(request(people.viewer.headers), null, to));
    await note("a guest's session", (to) => findSession(request(guest.headers), null, to));
    const [ofMember, ofGuest] = [await session(people.viewer.headers), await session(guest.headers)];
    await note("a member's session by id", (to) => sessionById(ofMember, to));
    await note("a guest's session by id", (to) => sessionById(ofGuest, to));
    await note("a token", (to) => tokenUser(token.token, to));
    await note("a token by id", (to) => tokenUserById(token.id, to));
    const tool = await connectTool(target.base, people.viewer, { canvasId: canvas.id }, env);
    const [{ id: ofTool } = { id: "" }] = await sql`select id from tokens where app_id = ${tool.id}`;
    await note("a connected tool", (to) => appOfToken(String(ofTool), to));
    await note("a person by id", (to) => userById(String(userId), to));
    await note("a person by address", ({ db }) => upsertUser(db, people.viewer.email, null, 0));
    const account = { issuer: "https://accounts.acme.test", subject: "1" };
    await sql`insert into identities (issuer, subject, user_id, created_at)
      values (${account.issuer}, ${account.subject}, ${String(userId)}, 0)`;
    await note("a person by account", (to) => findPerson(account, to));
    await note("a canvas and a listed person", (to) => findForAccess(canvas.slug, people.viewer.email, to));
    await note("a canvas and a member of a team", (to) =>
      findForAccess(canvas.slug, people.stranger.email, to),
    );
    await note("a canvas and a visitor", (to) => findForAccess(canvas.slug, null, to));
    await note("a grant of a Connection", (to) => findGranted(canvas.id, "weather", to));
    await note("a slug", (to) => slugOf(canvas.id, to));

    // Constraints would refuse most of the changes.
    const constraints = await sql<{ name: string; relation: string }[]>`
      select conname as name, conrelid::regclass::text as relation from pg_constraint
      where contype in ('f', 'c') and connamespace = 'public'::regnamespace`;
    for (const { name, relation } of constraints)
      await sql.unsafe(`alter table ${relation} drop constraint "${name}"`);
  });

  it("every statement in the source is among them", () => {
    const texts = globSync("**/*.ts", { cwd: SOURCES, exclude: ["drivers/**", "**/*.test.ts"] });
    const calls = texts.flatMap((file) =>
      (readFileSync(path.join(SOURCES, file), "utf8").match(/\.getCached</g) ?? []).map(() => file),
    );
    assert.equal(new Set(remembered.map(({ text }) => text)).size, calls.length, calls.join(", "));
  });

  it("each change of a column that a statement reads, and of its tables' rows, raises an epoch if the row is another one then", async () => {
    const raising = new Set<string>();
    const all = new Set<string>();
    for (const statement of remembered) {
      const columns = await columnsOf(sql, statement);
      assert.ok(columns.length > 1, statement.name);
      const check = async (label: string, change: string) => {
        const { raised, differs } = await outcomeOf(sql, statement, change);
        all.add(label);
        if (raised) raising.add(label);
        const isRefused =
          REFUSED.includes(label) && statement.text.includes("join users on users.id = canvases");
        assert.ok(raised || !differs || isRefused, `${statement.name}: ${change}`);
      };
      for (const { table, column, type } of columns) {
        const next = type === "text" ? `coalesce(${column}, '') || 'x'` : `coalesce(${column}, 0) + 1`;
        await check(`${table}.${column}`, `update ${table} set ${column} = ${next}`);
      }
      for (const table of new Set(columns.map((each) => each.table))) {
        await check(`removal from ${table}`, `delete from ${table}`);
        if (ROOTS.includes(table)) continue;
        await check(
          `addition to ${table}`,
          `create temp table saved on commit drop as table ${table}; alter table ${table} disable trigger user;
           delete from ${table}; alter table ${table} enable trigger user; insert into ${table} table saved`,
        );
      }
    }
    // Also where this test's rows would stay the same: each change is one that some row depends on.
    assert.deepEqual(
      [...all].filter((label) => !raising.has(label)),
      [],
    );
    assert.ok(all.size > 60, `${all.size} kinds of changes`);
  });

  it("a change of nothing, and of `updated_at` alone, raises none", async () => {
    for (const statement of remembered) {
      for (const change of [
        "update canvases set updated_at = updated_at + 1",
        "update users set name = name",
      ])
        assert.deepEqual(await outcomeOf(sql, statement, change), { raised: false, differs: false });
    }
  });
});

/** Returns the row of a statement as JSON, or undefined if there is none. */
async function rowOf(through: connect.ISql, { text, values }: Remembered): Promise<string | undefined> {
  const numbered = text.split("?").reduce((start, part, index) => `${start}$${index}${part}`);
  const [row] = await through.unsafe(numbered, values as never[]);
  return row && JSON.stringify(row);
}

/** Returns the columns of tables that a statement reads, also through views. The server names them. */
async function columnsOf(sql: connect.Sql, { text }: Remembered): Promise<Column[]> {
  const view = `create temp view looked_up as ${text.replaceAll("?", "cast(null as text)")}`;
  const found: Column[] = [];
  await rolledBack(sql, async (transaction) => {
    await transaction.unsafe(view);
    found.push(
      ...(await transaction.unsafe<Column[]>(`
        with recursive read (relation, number) as (
          select refobjid, refobjsubid from pg_depend join pg_rewrite on pg_rewrite.oid = objid
          where ev_class = 'looked_up'::regclass and refclassid = 'pg_class'::regclass and refobjsubid > 0
          union
          select refobjid, refobjsubid from read join pg_rewrite on ev_class = relation join pg_depend on objid = pg_rewrite.oid
          where refclassid = 'pg_class'::regclass and refobjsubid > 0 and refobjid <> relation)
        select distinct relation::regclass::text as table, attname as column, format_type(atttypid, null) as type
        from read join pg_attribute on attrelid = relation and attnum = number join pg_class on pg_class.oid = relation
        where relkind = 'r' order by 1, 2`)),
    );
  });
  return found;
}

/** Whether a change raises an epoch on which the row of a statement depends, and whether the row is another one then. Rolls it back. */
async function outcomeOf(sql: connect.Sql, statement: Remembered, change: string) {
  const outcome = { raised: false, differs: false };
  await rolledBack(sql, async (transaction) => {
    const row = await rowOf(transaction, statement);
    assert.ok(row !== undefined, `${statement.name} has a row`);
    const ids = String(JSON.parse(row).depends_on);
    const sum = async () =>
      (
        await transaction`
        select coalesce(sum(epoch), 0)::text as sum from access_epochs where id = any (string_to_array(${ids}, ','))`
      )[0]?.sum;
    const before = await sum();
    await transaction.unsafe(change);
    outcome.raised = (await sum()) !== before;
    outcome.differs = (await rowOf(transaction, statement)) !== row;
  });
  return outcome;
}

/** Runs work in a transaction and rolls it back. */
async function rolledBack(sql: connect.Sql, work: (transaction: connect.TransactionSql) => Promise<void>) {
  const over = new Error("over");
  await sql
    .begin(async (transaction) => {
      await work(transaction);
      throw over;
    })
    .catch((error: unknown) => {
      if (error !== over) throw error;
    });
}

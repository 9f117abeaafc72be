import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import { type Db, type Schema, sqlText } from "../../src/drivers/db/db.ts";
import { postgres } from "../../src/drivers/db/postgres/postgres.ts";
import { TURN_SETTINGS } from "../../src/drivers/db/postgres/postgres-connections.ts";
import { RecordStore } from "../../src/primitives/collections/store.ts";
import { FileStore } from "../../src/primitives/files/store.ts";
import { KvStore } from "../../src/primitives/kv/store.ts";
import { SubmissionStore } from "../../src/primitives/submissions/store.ts";
import { startDev } from "../support/engines.ts";
import { postgresProxy } from "../support/postgres-proxy.ts";
import { atEnd, ENGINES, startExample } from "../support/service.ts";

const [engine] = ENGINES.filter(({ name }) => name === "postgres");

/** Rows of each table below, most of them of others. */
const ROWS = 5_000;
const FILL = `
  insert into users (id, email, name, created_at) select 'u' || n, 'u' || n || '@example.com', 'U', 0 from generate_series(1, ${ROWS}) n;
  insert into sessions (token_hash, id, user_id, created_at, expires_at, address, user_agent)
    select 'h' || n, 's' || n, 'u' || n, 0, 1, '', '' from generate_series(1, ${ROWS}) n;
  insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
    select 'c' || n, 'slug-' || n, 'T', 'u' || n, 'u' || n, 0, 0 from generate_series(1, ${ROWS}) n;
  insert into canvas_people (canvas_id, email, role)
    select 'c' || n, 'u' || n || '@example.com', 'viewer' from generate_series(1, ${ROWS}) n;
  insert into teams (id, name, created_by, created_at) select 't' || n, 'T' || n, 'u' || n, 0 from generate_series(1, ${ROWS}) n;
  insert into team_members (team_id, email) select 't' || n, 'u' || n || '@example.com' from generate_series(1, ${ROWS}) n;
  insert into canvas_teams (canvas_id, team_id, role) select 'c' || n, 't' || n, 'editor' from generate_series(1, ${ROWS}) n;
  insert into kv (canvas_id, scope, key, number)
    select 'c' || n % 9, '', convert_to('k' || n, 'UTF8'), n from generate_series(1, ${ROWS}) n;
  insert into records (id, canvas_id, collection, author_id, number, created_at, updated_at)
    select 'r' || n, 'c' || n % 9, 'list', 'u1', n, 0, 0 from generate_series(1, ${ROWS}) n;
  insert into submissions (canvas_id, collection, user_id, value, updated_at)
    select 'c' || n % 9, 'poll', 'u' || n, '1', 0 from generate_series(1, ${ROWS}) n;
  insert into files (id, canvas_id, scope, owner_id, uploaded_by, name, mime, size, blob_key, created_at)
    select 'f' || n, 'c' || n % 9, 'shared', 'u1', 'u1', 'n', 'm', 1, 'b' || n, 0 from generate_series(1, ${ROWS}) n;
  insert into access_epochs (id, epoch) select 'e' || n, n from generate_series(1, ${ROWS}) n;
`;
const FILLED = [
  "users",
  "sessions",
  "canvases",
  "canvas_people",
  "team_members",
  "canvas_teams",
  "kv",
  "records",
  "submissions",
  "files",
  "access_epochs",
];

/** Matches a step that reads a whole table. */
const GROWS = new RegExp(`Seq Scan on (${FILLED.join("|")})\\b|Hash Join|Merge Join`);

/** Calls `work` for several values in one turn, twice: the server names the types of parameters in its answers to the first calls. */
async function inTurns(work: (index: number) => Promise<unknown>): Promise<void> {
  await work(1);
  for (let round = 0; round < 2; round++) await Promise.all([2, 3, 4, 5].map(work));
}

async function callStores(db: Db): Promise<void> {
  const kv = new KvStore(db, "other", "");
  const records = new RecordStore(db, "other", "list", "u1");
  const submissions = new SubmissionStore(db, "other", "poll");
  const files = new FileStore({ db, config: readConfig({}) }, "other");
  await inTurns((n) => kv.get(`k${n}`));
  await inTurns((n) => kv.put(`k${n * 9 + 1}`, { value: null, number: n }, 1_000_000));
  await inTurns((n) => kv.increment(`k${n * 9 + 1}`, 1, 1_000_000));
  await inTurns((n) => records.get(`r${n}`, { own: true, any: true }));
  await inTurns((n) => records.hasOwn(`r${n}`));
  await inTurns((n) => records.increment(`r${n}`, 1, 1));
  await inTurns((n) => submissions.get(`u${n}`));
  await inTurns((n) => submissions.put(`u${n * 9 + 1}`, "2", 1));
  await inTurns((n) => files.find(`f${n}`));
}

test("what a turn joins is read along indexes, whatever is in the tables", {
  skip: engine?.skip,
}, async (t) => {
  const proxy = await postgresProxy(t, (await engine?.migratedDatabase(t)) ?? "");
  const { target } = await startDev(t, { SERVICE_DATABASE_URL: proxy.url }, (scope, settings) =>
    startExample(scope, "guestbook", settings),
  );
  const db = postgres(proxy.url);
  atEnd(t, () => db.close());
  const owner = await target.signIn("dev@example.com");
  const statuses = new Set<number>();
  for (let round = 0; round < 3; round++) {
    // People who are new to the process, whose rows it does not remember.
    const others = await Promise.all([1, 2, 3, 4].map((n) => target.signIn(`p${round}${n}@example.com`)));
    for (const [method, path, body] of [
      ["PUT", "kv/*", '{"value":1}'],
      ["GET", "kv/*", null],
      ["POST", "kv/*/increment", '{"by":1}'],
    ] as const)
      await Promise.all(
        [owner, owner, owner, owner, ...others].map(async ({ headers }, index) => {
          const response = await fetch(`${target.base}/v1/c/guestbook/${path.replace("*", `plan${index}`)}`, {
            method,
            body,
            headers: [...headers, ["content-type", "application/json"], ["origin", target.base]],
          });
          statuses.add(response.status);
        }),
      );
  }
  assert.ok(statuses.has(200), [...statuses].join());
  await callStores(db);

  const joined = [...proxy.texts].filter((text) => text.includes("with ordinality as calls"));
  const tables = ["kv", "records", "submissions", "files", "session_people", "canvases"];
  for (const table of tables)
    assert.ok(
      joined.some((text) => new RegExp(`\\b(from|update) ${table}\\b`).test(text)),
      `no joined statement on ${table}`,
    );
  await explain(db, joined);
  await db.exclusively(({ exec }) => exec(`${FILL} analyze ${FILLED.join(", ")};`));
  await explain(db, joined);
});

/** Asserts that the plans of statements of turns read along indexes. */
async function explain(db: Schema, joined: string[]): Promise<void> {
  await db.exclusively(async ({ exec, all }) => {
    for (const [name, value] of Object.entries(TURN_SETTINGS)) await exec(`set local ${name} = ${value}`);
    for (const [index, text] of joined.entries()) {
      const arrays = text.match(/\$\d+::/g)?.length ?? 0;
      const values = Array.from({ length: arrays }, () => "null").join(", ");
      await exec(`prepare joined_${index} as ${text}`);
      const rows = await all<{ "QUERY PLAN": string }>(
        sqlText(`explain execute joined_${index} (${values})`),
      );
      await exec(`deallocate joined_${index}`);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.doesNotMatch(plan, GROWS, `${text}\n${plan}`);
    }
  });
}

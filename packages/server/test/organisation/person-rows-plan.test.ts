import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Sql } from "../../src/drivers/db/db.ts";
import { removeRowsOfPerson, rowsOfPerson, tablesOfPeople } from "../../src/organisation/person-rows.ts";
import { storedData } from "../../src/stored-data.ts";
import { onDatabases } from "../drivers/databases.ts";
import { changedDb } from "../support/changed-db.ts";
import { planning } from "../support/plans.ts";

/*
 * Tests the query plans of exports and erasures of one person among many, on an instance with many canvases: each table is read along an index
 * that begins with the person.
 */

const COUNT = 5_000;

await onDatabases("plans of the data of a person", (db) => {
  const plans = planning(db);
  const { seen, planOf } = plans;
  const person = {
    id: "u7",
    emails: [
      { email: "u7@acme.test", since: 0 },
      { email: "former@acme.test", since: 1 },
    ],
  };

  before(async () => {
    const fill = (into: string, values: string) =>
      plans.run(`${plans.numbers(COUNT)} insert into ${into} select ${values} from numbers where n > -1`);
    await fill("users (id, email, name, created_at)", "'u' || n, 'u' || n || '@acme.test', 'U', 0");
    await fill(
      "canvases (id, slug, title, owner_id, created_by, created_at, updated_at)",
      "'c' || n, 's' || n, 'T', 'u' || ((n + 9) % 50), 'u' || (n % 50), 0, 0",
    );
    const bytes = plans.isSqlite ? "cast('k' || n as blob)" : "convert_to('k' || n, 'UTF8')";
    await fill(
      "kv (canvas_id, scope, key, number)",
      `'c' || n, case n % 10 when 0 then 'u' || (n % 50) else '' end, ${bytes}, n`,
    );
    await fill(
      "kv_scopes (canvas_id, scope, keys)",
      "'c' || n, case n % 10 when 0 then 'u' || (n % 50) else '' end, 1",
    );
    await fill(
      "records (id, canvas_id, collection, author_id, number, created_at, updated_at)",
      "'r' || n, 'c' || n, 'list', 'u' || (n % 50), n, 0, 0",
    );
    await fill(
      "submissions (canvas_id, collection, user_id, value, updated_at)",
      "'c' || n, 'poll', 'u' || (n % 50), '1', 0",
    );
    await fill(
      "files (id, canvas_id, scope, owner_id, uploaded_by, name, mime, size, blob_key, created_at)",
      "'f' || n, 'c' || n, 'shared', 'u' || (n % 50), 'u' || (n % 49), 'n', 'm', 1, 'b' || n, 0",
    );
    await fill(
      "versions (id, canvas_id, created_by, created_at, files, bytes)",
      "'v' || n, 'c' || n, 'u' || (n % 50), 0, 0, 0",
    );
    await fill(
      "call_log (canvas_id, number, at, method, route, status, user_id, request_id)",
      "'c' || n, 1, 0, 'GET', '/kv', 404, 'u' || (n % 50), 'r'",
    );
    await fill(
      "ai_requests (id, canvas_id, user_id, guest, model, state, started_at, reserved)",
      "'a' || n, 'c' || n, 'u' || (n % 50), 0, 'm', 'done', 0, 0",
    );
    await fill(
      "invites (id, canvas_id, email, name, token_hash, created_at, created_by)",
      "'i' || n, 'c' || n, 'g' || n || '@acme.test', 'G', 'h' || n, 0, 'u' || (n % 50)",
    );
    await fill("slug_owners (slug, user_id)", "'s' || n, 'u' || (n % 50)");
    await fill(
      "audit (id, at, actor_id, actor_email, act, target, address)",
      "'e' || n, 0, 'u' || (n % 50), 'u' || (n % 50) || '@acme.test', 'x', 'u' || (n % 40), ''",
    );
    await plans.analyze(...tablesOfPeople({ canvasData: storedData() }).map(([name]) => name));
  });

  for (const [name, table] of tablesOfPeople({ canvasData: storedData() })) {
    test(`${name}: read and removed along an index by person`, async () => {
      seen.length = 0;
      for await (const _ of rowsOfPerson(name, table, person, { db: plans.db }));
      const removed: Sql[] = [];
      if (table.erased === "removed") {
        const noting = changedDb(db, {
          run: async (...statement) => {
            removed.push(statement);
            return 0;
          },
        });
        await removeRowsOfPerson(name, table, person, { db: noting });
        assert.ok(removed.length > 0);
      }
      assert.equal(seen.length > 0, table.exported !== null);
      for (const statement of [...seen, ...removed]) {
        const plan = await planOf(statement);
        // A table of few rows is read as a whole on PostgreSQL.
        if (plans.isSqlite) assert.doesNotMatch(plan, /SCAN (?!CONSTANT)/, plan);
        else assert.doesNotMatch(plan, /Rows Removed by Filter: \d{4}/, plan);
      }
    });
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../../src/config/config.ts";
import { migrate } from "../../../src/drivers/db/migrate.ts";
import { openDb } from "../../../src/drivers/index.ts";
import { keyOf, nameOf } from "../../../src/primitives/collections/fields.ts";
import { RecordStore } from "../../../src/primitives/collections/store.ts";
import { temporaryDirectory } from "../../support/service.ts";

const RECORDS = 30_000;
const CREATES = 100;

test("creating a record costs as much in a collection whose records agree in the first unique field", async (t) => {
  const file = `${await temporaryDirectory(t)}/easel.db`;
  const db = await openDb(readConfig({ SERVICE_DATABASE_URL: `sqlite:${file}` }), assert.ifError);
  t.after(() => db.close());
  await migrate(db);
  await db.run`
    insert into records (id, canvas_id, collection, author_id, created_at, updated_at)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${RECORDS})
    select 'r-' || i, 'full', 'votes', 'u-1', 1, 1 from n`;
  await db.run`
    insert into record_fields (canvas_id, collection, name, key, record_id)
    select canvas_id, collection, ${nameOf("a")}, ${keyOf(1)}, id from records
    union all select canvas_id, collection, ${nameOf("b")}, cast(id as blob), id from records`;

  /** Returns the CPU time of creating records that agree in the first unique field, in microseconds. */
  const cost = async (canvas: string) => {
    const votes = new RecordStore(db, canvas, "votes", "u-1", ["value.a", "value.b"]);
    const before = process.cpuUsage();
    for (let b = 0; b < CREATES; b++) assert.notEqual(await votes.create({ a: 1, b }, 1), null);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await cost("first");
  const [empty, full] = [await cost("empty"), await cost("full")];
  // A search that begins with the first field would read all records: 30 times the CPU time.
  assert.ok(full < 8 * empty, `${full} and ${empty} microseconds`);
});

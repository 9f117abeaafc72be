import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { readConfig } from "../../src/config/config.ts";
import type { Db, Schema } from "../../src/drivers/db/db.ts";
import { migrate } from "../../src/drivers/db/migrate.ts";
import { openDb } from "../../src/drivers/index.ts";
import { atEnd, ENGINES } from "../support/service.ts";

/** The number of concurrent calls in tests of races. */
export const MANY = 200;

/** Calls `work` `count` times concurrently. Returns the results. */
export const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/**
 * Runs a suite on each engine, or on some, on a new database with the tables of the service, and with a second connection to it.
 */
export async function onDatabases(
  title: string,
  suite: (db: Db & Schema, other: Db & Schema) => void,
  engines = ["sqlite", "postgres"],
): Promise<void> {
  const scope = { after };
  const ready: { name: string; db: Db & Schema; other: Db & Schema }[] = [];
  for (const { name, skip, migratedDatabase } of ENGINES.filter((each) => engines.includes(each.name))) {
    if (skip) {
      test(`${title} on ${name}`, { skip });
      continue;
    }
    const config = readConfig({ SERVICE_DATABASE_URL: await migratedDatabase(scope) });
    const db = await openDb(config, assert.ifError);
    atEnd(scope, () => db.close());
    await migrate(db);
    const other = await openDb(config, assert.ifError);
    atEnd(scope, () => other.close());
    ready.push({ name, db, other });
  }
  for (const { name, db, other } of ready) describe(`${title} on ${name}`, () => suite(db, other));
}

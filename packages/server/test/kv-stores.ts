import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { readConfig } from "../src/config.ts";
import type { Db } from "../src/drivers/db/db.ts";
import { migrate } from "../src/drivers/db/migrate.ts";
import { openDb } from "../src/drivers/index.ts";
import { KvStore } from "../src/primitives/kv/store.ts";
import { atEnd, ENGINES } from "./support.ts";

/** A limit that no test reaches. */
export const LIMIT = 10_000;

/** How many have a go at a race. */
export const MANY = 200;

/** A value to put. */
export const one = { value: null, number: 1 } as const;

/** Does work so many times at once. */
export const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** The store of a scope that nothing is in yet; what its counter says, and how many keys there are. */
export type OpenStore = () => { store: KvStore; counted: () => Promise<(number | undefined)[]> };

const opener = (db: Db): OpenStore => {
  let scopes = 0;
  return () => {
    const scope = `u-${++scopes}`;
    const counted = async () => {
      const row = await db.get<{ keys: number; held: number }>`
        select coalesce((select keys from kv_scopes where canvas_id = ${"c"} and scope = ${scope}), 0) as keys,
          (select count(*) from kv where canvas_id = ${"c"} and scope = ${scope}) as held`;
      return [row?.keys, row?.held];
    };
    return { store: new KvStore(db, "c", scope), counted };
  };
};

/** The same suite on every engine, each on a database of its own. */
export async function onStores(title: string, suite: (open: OpenStore, db: Db) => void): Promise<void> {
  const scope = { after };
  const ready: { name: string; db: Db }[] = [];
  for (const { name, skip, database } of ENGINES) {
    if (skip) {
      test(`${title} on ${name}`, { skip });
      continue;
    }
    const db = await openDb(readConfig({ SERVICE_DATABASE_URL: await database(scope) }), assert.ifError);
    atEnd(scope, () => db.close());
    await migrate(db);
    ready.push({ name, db });
  }
  for (const { name, db } of ready) describe(`${title} on ${name}`, () => suite(opener(db), db));
}

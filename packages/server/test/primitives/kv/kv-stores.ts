import type { Db } from "../../../src/drivers/db/db.ts";
import { KvStore } from "../../../src/primitives/kv/store.ts";
import { onDatabases } from "../../drivers/databases.ts";

/** A limit that no test reaches. */
export const LIMIT = 10_000;

/** A value for tests in which the value does not matter: the number 1. */
export const one = { value: null, number: 1 } as const;

/** Opens the key-value store of an empty scope. `counted` returns the counter of its keys, and the actual number of keys. */
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

/** Runs a suite on each database engine, with a new database. */
export const onStores = (title: string, suite: (open: OpenStore, db: Db) => void): Promise<void> =>
  onDatabases(title, (db) => suite(opener(db), db));

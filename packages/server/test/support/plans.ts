import { before } from "node:test";
import { type Db, type Sql, sqlText, textOf, type Value } from "../../src/drivers/db/db.ts";
import { changedDb } from "./changed-db.ts";

/** What tests of query plans need. */
export interface Plans {
  /** The database, which notes in `seen` each statement that reads rows. */
  db: Db;
  seen: Sql[];
  readonly isSqlite: boolean;
  /** Returns the beginning of a statement that has the table `numbers` with a column `n` from 0 to `count` - 1. */
  numbers(count: number): string;
  /** Writes the rows of a table with a statement in plain SQL. */
  run(statement: string): Promise<unknown>;
  /** Lets PostgreSQL know how many rows the tables have. */
  analyze(...tables: string[]): Promise<void>;
  /** Returns the plan of a statement as text. On PostgreSQL it has the rows that were read. */
  planOf(statement: Sql): Promise<string>;
}

/** Prepares tests of the query plans of a database. It must be called in a suite, before the hooks that use it. */
export function planning(db: Db): Plans {
  const seen: Sql[] = [];
  let isSqlite = false;
  before(async () => {
    isSqlite = await db.get`select sqlite_version()`.then(
      () => true,
      () => false,
    );
  });
  return {
    db: changedDb(db, {
      all(...statement) {
        seen.push(statement);
        return db.all(...statement);
      },
    }),
    seen,
    get isSqlite() {
      return isSqlite;
    },
    numbers: (count) =>
      isSqlite
        ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`
        : `with numbers as (select generate_series(0, ${count - 1}) as n)`,
    run: (statement) => db.run(sqlText(statement)),
    async analyze(...tables) {
      if (!isSqlite) for (const table of tables) await db.run(sqlText(`analyze ${table}`));
    },
    async planOf([text, ...values]) {
      if (isSqlite) {
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
    },
  };
}

import { type Db, type Schema, sql } from "../../src/drivers/db/db.ts";
import { atEnd, type Scope } from "../support/service.ts";

const TABLES = `
  create table things (id bigint primary key, name text unique, size double precision, bytes bytea);
  create table counters (id text primary key, value bigint not null check (value >= 0));
  insert into counters (id, value) values ('a', 0);
`;

/** Opens another connection to the same database. */
export type Connect = () => Promise<Db & Schema>;

/** Creates a database with the tables of these tests and opens two connections to it, which are closed after the test. */
export type Open = (scope: Scope) => Promise<{ db: Db; other: Db; connect: Connect }>;

/** The number of concurrent calls in tests of races. */
export const MANY = 100;

/** Creates the tables of these tests. */
export const makeTables = (db: Schema) => db.exclusively((tables) => tables.exec(TABLES));

/** Returns a function that creates databases for tests. `database` creates an empty one and returns a function that connects to it. */
export const opener =
  (database: (scope: Scope) => Promise<Connect>): Open =>
  async (scope) => {
    const connect = await database(scope);
    const [db, other] = [await connect(), await connect()];
    for (const each of [db, other]) atEnd(scope, () => each.close());
    await makeTables(db);
    return { db, other, connect };
  };

/** Reads the value of the only row of `counters`. */
export const counter = async (db: Db) => (await db.get<{ value: number }>`select value from counters`)?.value;

/** Reads the ids of all rows of `things`. */
export const ids = async (db: Db) =>
  (await db.all<{ id: number }>`select id from things order by id`).map(({ id }) => id);

/** Returns a statement that inserts a row into `things`. */
export const thing = (id: number) => sql`insert into things (id, name) values (${id}, ${`thing ${id}`})`;

/** A statement that changes nothing. */
export const nothing = sql`delete from things where id = ${-1}`;

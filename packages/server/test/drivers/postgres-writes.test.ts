import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Db, sql, Unavailable } from "../../src/drivers/db/db.ts";
import { postgres } from "../../src/drivers/db/postgres/postgres.ts";
import { ENGINES } from "../support/service.ts";

const [engine] = ENGINES.filter(({ name }) => name === "postgres");

/** Opens connections, runs `reads` pipelined reads and one batch, and returns the outcome of the batch. */
async function batchBehind(reads: number, url: string): Promise<unknown> {
  const db = postgres(url);
  const read = sql`select 1 as n`;
  // Opens one connection, on which the statement is then prepared. Later reads are pipelined on it until further connections are open.
  await db.get(...read);
  const pending = Array.from({ length: reads }, () => db.get(...read));
  const batch = db.batch([sql`insert into batches (reads) values (${reads})`]);
  const [, outcome] = await Promise.all([Promise.all(pending), batch.catch((error: unknown) => error)]);
  await db.close();
  return outcome;
}

test("a batch is committed behind any number of pipelined statements", { skip: engine?.skip }, async () => {
  const url = (await engine?.database({ after })) ?? "";
  const db = postgres(url);
  await db.exclusively(({ exec }) => exec("create table batches (reads bigint)"));
  // The PostgreSQL package pipelines up to 100 statements on a connection.
  const numbers = Array.from({ length: 12 }, (_, index) => 95 + index);
  const outcomes: unknown[] = [];
  for (const reads of numbers) outcomes.push(await batchBehind(reads, url));
  assert.deepEqual(
    outcomes,
    numbers.map(() => "done"),
  );
  const found = await db.all<{ reads: number }>`select reads from batches order by reads`;
  assert.deepEqual(
    found.map(({ reads }) => reads),
    numbers,
  );
  await db.close();
});

/** Two writes that lock row 1 before row 2. */
const writes: [method: string, write: (db: Db) => Promise<unknown>][] = [
  ["run", (db) => db.run`update rows set writes = writes + 1`],
  ["returning", (db) => db.returning`update rows set writes = writes + 1 returning id`],
];

for (const [method, write] of writes) {
  test(`${method} retries a statement that was canceled because of a deadlock`, {
    skip: engine?.skip,
  }, async () => {
    const db = postgres((await engine?.database({ after })) ?? "");
    await db.exclusively(({ exec }) =>
      exec(`create table rows (id bigint primary key, writes bigint not null);
        insert into rows (id, writes) values (1, 0), (2, 0)`),
    );
    const add = (id: number) => sql`update rows set writes = writes + 1 where id = ${id}`;
    // The batch locks row 2, and later waits for row 1. The server cancels the write, because it has waited longer.
    const batch = db.batch([add(2), sql`select pg_sleep(0.4)`, add(1)]);
    await delay(200);
    await Promise.all([write(db), batch]);
    assert.deepEqual(await db.all`select id, writes from rows order by id`, [
      { id: 1, writes: 2 },
      { id: 2, writes: 2 },
    ]);
    await db.close();
  });
}

const DIE = sql`select pg_terminate_backend(pg_backend_pid())`;
const COUNT = sql`update rows set writes = writes + 1`;

/** Batches with a step that closes their connection, by the position of this step. */
const BROKEN: [name: string, steps: (typeof COUNT)[]][] = [
  ["its only step", [DIE]],
  ["its first step", [DIE, COUNT]],
  ["a step in the middle", [COUNT, DIE, COUNT]],
  ["its last step", [COUNT, DIE]],
];

for (const [name, steps] of BROKEN) {
  test(`a batch whose connection is closed during ${name}: it is rejected, and the next one is committed`, {
    skip: engine?.skip,
  }, async () => {
    const db = postgres((await engine?.database({ after })) ?? "");
    await db.exclusively(({ exec }) =>
      exec("create table rows (writes bigint not null); insert into rows (writes) values (0)"),
    );
    for (let round = 0; round < 5; round++) {
      await assert.rejects(db.batch(steps), Unavailable);
      // The package postgres would throw in a later turn if it wrote to the closed connection.
      await delay(20);
      while ((await db.batch([COUNT]).catch(() => null)) !== "done") await delay(20);
    }
    assert.deepEqual(await db.all`select writes from rows`, [{ writes: 5 }]);
    await db.close();
  });
}

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { sql } from "../../src/drivers/db/db.ts";
import { postgres } from "../../src/drivers/db/postgres.ts";
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
  const [, outcome] = await Promise.all([
    Promise.all(pending),
    batch.then(
      ([changed]) => changed,
      (error: unknown) => error,
    ),
  ]);
  await db.close();
  return outcome;
}

test("a batch is committed behind any number of pipelined statements", { skip: engine?.skip }, async () => {
  const url = (await engine?.database({ after })) ?? "";
  const db = postgres(url);
  await db.exclusively(({ exec }) => exec("create table batches (reads bigint)"));
  // The PostgreSQL package pipelines up to 100 statements on a connection.
  const numbers = Array.from({ length: 40 }, (_, index) => 95 + index);
  const outcomes: unknown[] = [];
  for (const reads of numbers) outcomes.push(await batchBehind(reads, url));
  assert.deepEqual(
    outcomes,
    numbers.map(() => 1),
  );
  const found = await db.all<{ reads: number }>`select reads from batches order by reads`;
  assert.deepEqual(
    found.map(({ reads }) => reads),
    numbers,
  );
  await db.close();
});

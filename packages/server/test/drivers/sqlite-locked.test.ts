import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { send } from "@easel/conformance/http";
import { type Db, optional, Unavailable } from "../../src/drivers/db/db.ts";
import { sqlite } from "../../src/drivers/db/sqlite.ts";
import { startDev } from "../support/engines.ts";
import { atEnd, type Scope, startWithExamples, temporaryDirectory } from "../support/service.ts";
import { counter, makeTables } from "./db-tables.ts";

/** Opens a database with a counter, and a way to lock it as another process does. */
async function open(t: Scope, lockMs?: number) {
  const file = path.join(await temporaryDirectory(t), "easel.db");
  const db = sqlite(file, assert.ifError, { lockMs });
  atEnd(t, () => db.close());
  await makeTables(db);
  return { db, ...lockOf(t, file) };
}

function lockOf(t: Scope, file: string) {
  const other = new DatabaseSync(file);
  atEnd(t, async () => other.close());
  return { lock: () => other.exec("begin immediate"), unlock: () => other.exec("rollback") };
}

/** Whether a promise is still pending after 50 milliseconds. */
const isOpen = (work: Promise<unknown>) => Promise.race([work.then(() => false), sleep(50, true)]);

const append = ({ batch }: Db, digit: number) =>
  batch([optional`update counters set value = value * 10 + ${digit} where id = ${"a"}`]);

test("writes wait in order for the lock of another process, and reads go on", async (t) => {
  const { db, lock, unlock } = await open(t);
  lock();
  const first = [append(db, 1), append(db, 2)];
  assert.ok(await isOpen(Promise.race(first)));
  assert.equal(await counter(db), 0);
  const later = [append(db, 3), append(db, 4)];
  assert.ok(await isOpen(Promise.race([...first, ...later])));
  assert.equal(await counter(db), 0);
  unlock();
  await Promise.all([...first, ...later]);
  assert.equal(await counter(db), 1234);
});

test("writes are rejected and not done when the lock is held for too long", async (t) => {
  const { db, lock, unlock } = await open(t, 30);
  lock();
  const refused = [append(db, 1), append(db, 2)];
  for (const each of refused) await assert.rejects(each, Unavailable);
  await assert.rejects(append(db, 3), Unavailable);
  unlock();
  await append(db, 4);
  assert.equal(await counter(db), 4);
});

test("close waits for writes that wait for the lock", async (t) => {
  const { db, lock, unlock } = await open(t);
  lock();
  const write = append(db, 1);
  assert.ok(await isOpen(write));
  const closed = db.close();
  assert.ok(await isOpen(closed));
  unlock();
  await Promise.all([write, closed]);
  db.close = async () => {};
});

test("GET requests are answered while a PUT waits for the lock", async (t) => {
  const { target, env } = await startDev(t, {}, startWithExamples);
  const owner = await target.signIn("dev@example.com");
  const ask = (method: string, body?: string) =>
    send(target.base, {
      method,
      path: "/v1/c/guestbook/kv/key",
      headers: owner.headers,
      ...(body !== undefined && { body }),
    });
  assert.equal((await ask("PUT", "1")).status, 200);
  const { lock, unlock } = lockOf(t, path.join(env.config.dataDir, "easel.db"));
  lock();
  const write = ask("PUT", "2");
  assert.ok(await isOpen(write));
  assert.deepEqual((await ask("GET")).json, { value: 1 });
  unlock();
  assert.equal((await write).status, 200);
  assert.deepEqual((await ask("GET")).json, { value: 2 });
});

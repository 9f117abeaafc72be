import assert from "node:assert/strict";
import { once } from "node:events";
import { after, describe, test } from "node:test";
import { send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import { WebSocket } from "ws";
import { type Db, sql, Unavailable } from "../../src/drivers/db/db.ts";
import { Pool, type PoolTimes } from "../../src/drivers/db/postgres/pool.ts";
import { postgres } from "../../src/drivers/db/postgres/postgres.ts";
import { startDev } from "../support/engines.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { atEnd, type Scope, startWithExamples } from "../support/service.ts";

const programs = postgresPrograms();
const skip = programs === undefined && "PostgreSQL is not installed";

/** A PostgreSQL server for these tests only, because they stop and start it. */
const at = (programs && (await startPostgres(programs))) as PostgresServer;
if (programs !== undefined) after(() => at.remove());

/** Timeouts in milliseconds, short enough for a server on this machine. */
const TIMES: PoolTimes = { late: 50, check: 1_000, round: 20, connect: 2_000, longest: 60_000 };

/** Returns "done", "unavailable", or another error with which the promise is rejected. */
const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error) => (error instanceof Unavailable ? "unavailable" : error),
  );

describe("a PostgreSQL server that is not available", { skip, timeout: 240_000 }, () => {
  /** Opens a connection to the server. `changes` are the messages that it has logged about the server's availability. */
  async function open(t: Scope, times: Partial<PoolTimes> = {}) {
    const changes: string[] = [];
    const db = postgres(`${at.url}/postgres`, (change) => changes.push(change), { ...TIMES, ...times });
    atEnd(t, () => db.close());
    await db.exclusively(({ exec }) =>
      exec("drop table if exists counter; create table counter (n bigint); insert into counter values (0)"),
    );
    return { db, changes };
  }

  const add = ({ run }: Db) => run`update counter set n = n + 1`;
  const addInBatch = ({ batch }: Db) => batch([sql`update counter set n = n + 1`]);
  const value = async ({ get }: Db) => (await get<{ n: number }>`select n from counter`)?.n ?? 0;

  for (const [how, down, up] of [
    ["stopped", () => at.stop(), () => at.start()],
    ["frozen", async () => at.freeze(), async () => at.thaw()],
  ] as const) {
    test(`${how}: pending and new queries are rejected until the server is back`, async (t) => {
      const { db, changes } = await open(t);
      await Promise.all(Array.from({ length: 40 }, () => add(db)));
      await down();
      const underWay = Array.from({ length: 200 }, (_, n) => outcome(n % 2 ? add(db) : value(db)));
      assert.deepEqual(new Set(await Promise.all(underWay)), new Set(["unavailable"]));
      await until("it is known to be away", () => changes.length > 0);
      assert.deepEqual(changes, ["away"]);
      assert.equal(await outcome(add(db)), "unavailable");
      assert.equal(await outcome(addInBatch(db)), "unavailable");
      await up();
      await until("it is back", () => changes.length > 1);
      assert.deepEqual(changes, ["away", "back"]);
      assert.equal(await outcome(add(db)), "done");
      // Each of the hundred pending writes was made once or not at all; those refused at once were not made.
      const n = await value(db);
      assert.ok(n >= 41 && n <= 141, String(n));
    });
  }

  test("repeated crashes: every acknowledged write is kept once", async (t) => {
    const { db, changes } = await open(t);
    let [acknowledged, unknown, stopped] = [0, 0, false];
    const writers = Array.from({ length: 8 }, async () => {
      while (!stopped) {
        const result = await outcome(add(db));
        if (result === "done") acknowledged++;
        else if (result === "unavailable") unknown++;
        else throw result;
        if (changes.at(-1) === "away") await new Promise((turn) => setTimeout(turn, 5));
      }
    });
    for (let round = 1; round <= 3; round++) {
      const before = acknowledged;
      await until("it writes", () => acknowledged > before + 50);
      await at.stop("SIGQUIT");
      await until("it is away", () => changes.length === 2 * round - 1);
      await at.start();
      await until("it is back", () => changes.length === 2 * round);
    }
    stopped = true;
    await Promise.all(writers);
    const n = await value(db);
    assert.ok(acknowledged <= n && n <= acknowledged + unknown, `${acknowledged} ≤ ${n} ≤ +${unknown}`);
  });

  test("a slow statement is waited for while the server responds to others", async (t) => {
    const { db, changes } = await open(t);
    assert.equal(await outcome(db.get`select pg_sleep(1)`), "done");
    assert.deepEqual(changes, []);
  });

  test("a blocked event loop is not taken for a server that is away", async (t) => {
    const { db, changes } = await open(t, { check: 300 });
    const slow = outcome(db.get`select pg_sleep(3)`);
    const cell = new Int32Array(new SharedArrayBuffer(4));
    for (let round = 0; round < 5; round++) {
      Atomics.wait(cell, 0, 0, 400);
      await new Promise((turn) => setTimeout(turn, 5));
    }
    assert.equal(await slow, "done");
    assert.deepEqual(changes, []);
  });

  test("concurrent queries past the limit are rejected", async () => {
    const silent = () => ({ end: async () => {} }) as never;
    const pool = new Pool(silent, { ...TIMES, late: 1e9 }, () => {});
    const never = () => new Promise<never>(() => {});
    for (let each = 0; each < 10_000; each++) void pool.use(never);
    await assert.rejects(pool.use(never), Unavailable);
  });

  test("a lost connection rejects its own queries only", async (t) => {
    const { db, changes } = await open(t);
    const slow = outcome(db.get`select pg_sleep(20) as carried`);
    const other = outcome(db.get`select pg_sleep(1) as beside`);
    await until("it is ended", async () => {
      const ended = await db.all`select pg_terminate_backend(pid) from pg_stat_activity
        where query like ${"%as carried"} and pid <> pg_backend_pid()`;
      return ended.length > 0;
    });
    assert.deepEqual(await Promise.all([slow, other]), ["unavailable", "done"]);
    assert.equal(await outcome(add(db)), "done");
    assert.deepEqual(changes, []);
  });

  test("a connection without responses is given up, while the server responds to others", async (t) => {
    const { db, changes } = await open(t, { longest: 200, check: 300 });
    assert.equal(await outcome(db.get`select pg_sleep(14)`), "unavailable");
    assert.equal(await outcome(add(db)), "done");
    assert.deepEqual(changes, []);
  });

  test("no free connection on the server: rejected as Unavailable", async (t) => {
    const { db } = await open(t);
    await assert.rejects(
      db.run`do $$ begin raise exception 'full' using errcode = '53300'; end $$`,
      Unavailable,
    );
    await assert.rejects(db.run`select nothing from counter`, (error) => !(error instanceof Unavailable));
  });

  test("requests that need the database get 503 until it is back", async (t) => {
    const settings = { SERVICE_DATABASE_URL: `${at.url}/template1`, SERVICE_LOG_LEVEL: "silent" };
    const { target, env } = await startDev(t, settings, startWithExamples);
    // Moves the clock by a second for each request, because readiness is checked at most once a second.
    const { clock } = env;
    let asked = 0;
    env.clock = () => clock() + 1_000 * asked;
    const owner = await target.signIn("dev@example.com");
    const requests = {
      "runtime API": { path: "/v1/c/guestbook/kv/greeting" },
      "runtime API, a write": { path: "/v1/c/guestbook/kv/greeting", method: "PUT", body: '{"value":1}' },
      "management API": { path: "/api/me" },
      readiness: { path: "/readyz" },
      "a page": { path: "/c/guestbook/" },
      "sign-in": {
        path: "/auth/dev/session",
        method: "POST",
        body: '{"email":"new@example.com"}',
      },
    };
    const ask = (request: { path: string; method?: string; body?: string }) => {
      asked++;
      return send(target.base, {
        method: "GET",
        ...request,
        headers: [...owner.headers, ["content-type", "application/json"], ["origin", target.base]],
      });
    };
    const upgrade = async () => {
      const socket = new WebSocket(`${target.base.replace("http", "ws")}/v1/c/guestbook/realtime`, {
        headers: Object.fromEntries(owner.headers),
      });
      socket.on("error", () => {});
      const [, answer] = await once(socket, "unexpected-response");
      answer.resume();
      return { status: answer.statusCode, headers: answer.headers };
    };
    for (const [name, request] of Object.entries(requests))
      assert.ok((await ask(request)).status < 405, name);
    await at.stop();
    for (const round of ["first", "later"]) {
      for (const [name, request] of Object.entries(requests)) {
        const answer = await ask(request);
        refused(answer, 503, "UNAVAILABLE");
        assert.equal(answer.headers["retry-after"], "1", `${name}, ${round}`);
      }
    }
    const page = await send(target.base, {
      method: "GET",
      path: "/c/guestbook/",
      headers: [...owner.headers, ["accept", "text/html"]],
    });
    assert.deepEqual([page.status, page.headers["retry-after"]], [503, "1"]);
    assert.match(page.text, /Not available right now/);
    const { status, headers } = await upgrade();
    assert.deepEqual([status, headers["retry-after"]], [503, "1"]);
    assert.equal((await ask({ path: "/healthz" })).status, 200);
    await at.start();
    await until("it is back", async () => (await ask(requests.readiness)).status === 200);
    for (const [name, request] of Object.entries(requests))
      assert.ok((await ask(request)).status < 405, name);
  });
});

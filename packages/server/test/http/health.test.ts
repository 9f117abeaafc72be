import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "../support/engines.ts";
import { ENGINES, PROXY } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";

const get = (base: string, path: string, method = "GET") => send(base, { method, path });

describe("health checks", () => {
  it("/healthz and /readyz: 200 without a session, in every mode", async (t) => {
    for (const settings of [{}, PROXY, { SERVICE_URL_MODE: "subdomain" }]) {
      const { base } = (await startDev(t, settings)).target;
      for (const path of ["/healthz", "/readyz"]) {
        const { status, text, headers } = await get(base, path);
        assert.deepEqual([status, text], [200, '{"ok":true}']);
        assert.equal(headers["set-cookie"], undefined);
        assert.equal((await get(base, path, "HEAD")).status, 200);
      }
    }
  });

  /** Moves the clock of a service forward by a second. */
  const aSecondLater = (env: TestEnv) => {
    const now = env.clock() + 1_000;
    env.clock = () => now;
  };

  for (const engine of ENGINES) {
    it(`/readyz on ${engine.name}: 503 UNAVAILABLE when the database is closed; /healthz stays`, {
      skip: engine.skip,
    }, async (t) => {
      const quiet = { SERVICE_DATABASE_URL: await engine.migratedDatabase(t), SERVICE_LOG_LEVEL: "fatal" };
      const { target, env } = await startDev(t, quiet);
      assert.equal((await get(target.base, "/readyz")).status, 200);
      await env.db.close();
      env.db.close = async () => {};
      aSecondLater(env);
      refused(await get(target.base, "/readyz"), 503, "UNAVAILABLE");
      assert.equal((await get(target.base, "/healthz")).status, 200);
    });
  }

  const parts: [name: string, fail: (t: TestContext, env: TestEnv) => void][] = [
    [
      "blobs",
      (t, { blobs }) => t.mock.method(blobs, "tryWrite", async () => Promise.reject(new Error("no disk"))),
    ],
    [
      "writes to the database",
      (t, { db }) =>
        t.mock.method(db.withReserve, "run", async () => Promise.reject(new Error("the disk is full"))),
    ],
    [
      "the bus",
      (t, { bus }) => t.mock.method(bus, "publish", async () => Promise.reject(new Error("no bus"))),
    ],
  ];
  for (const [name, fail] of parts) {
    it(`/readyz: 503 UNAVAILABLE when ${name} fail, and 200 after recovery`, async (t) => {
      const { target, env } = await startDev({ after }, { SERVICE_LOG_LEVEL: "fatal" });
      assert.equal((await get(target.base, "/readyz")).status, 200);
      fail(t, env);
      aSecondLater(env);
      const answer = await get(target.base, "/readyz");
      refused(answer, 503, "UNAVAILABLE");
      assert.doesNotMatch(answer.text, /disk|no bus/);
      t.mock.restoreAll();
      aSecondLater(env);
      assert.equal((await get(target.base, "/readyz")).status, 200);
    });
  }

  it("/readyz writes at most once a second, and leaves no data", async (t) => {
    const { target, env } = await startDev(t);
    const now = env.clock();
    env.clock = () => now;
    const writes = t.mock.method(env.blobs, "tryWrite");
    const folder = path.join(env.config.dataDir, "blobs");
    // The sweep writes a marker of its own at any time.
    const files = async () =>
      (await readdir(folder, { recursive: true })).filter((name) => !name.endsWith(".marker"));
    const before = await files();
    for (let second = 1; second <= 3; second++) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => get(target.base, "/readyz")));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(writes.mock.callCount(), second);
      aSecondLater(env);
    }
    assert.deepEqual(await files(), before);
    // The clock is set back by an hour. The earlier result of the check must not be reused.
    env.clock = () => now - 3_600_000;
    await get(target.base, "/readyz");
    assert.equal(writes.mock.callCount(), 4);
  });
});

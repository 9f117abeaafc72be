import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { startDev } from "./engines.ts";
import { ENGINES, PROXY } from "./support.ts";

const get = (base: string, path: string, method = "GET") => send(base, { method, path });

describe("operation", () => {
  it("/healthz and /readyz answer anyone, in any mode", async (t) => {
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

  for (const engine of ENGINES) {
    it(`/readyz on ${engine.name}: 503 UNAVAILABLE when the database is closed; /healthz stays`, {
      skip: engine.skip,
    }, async (t) => {
      const quiet = { SERVICE_DATABASE_URL: await engine.database(t), SERVICE_LOG_LEVEL: "fatal" };
      const { target, env } = await startDev(t, quiet);
      assert.equal((await get(target.base, "/readyz")).status, 200);
      await env.db.close();
      env.db.close = async () => {};
      refused(await get(target.base, "/readyz"), 503, "UNAVAILABLE");
      assert.equal((await get(target.base, "/healthz")).status, 200);
    });
  }

  const parts: [
    name: string,
    fail: (t: TestContext, env: Awaited<ReturnType<typeof startDev>>["env"]) => void,
  ][] = [
    [
      "blobs",
      (t, { blobs }) => t.mock.method(blobs, "get", async () => Promise.reject(new Error("no disk"))),
    ],
    [
      "the bus",
      (t, { bus }) => t.mock.method(bus, "publish", async () => Promise.reject(new Error("no bus"))),
    ],
  ];
  for (const [name, fail] of parts) {
    it(`/readyz: 503 UNAVAILABLE when ${name} fail, and 200 when all is well again`, async (t) => {
      const { target, env } = await startDev({ after }, { SERVICE_LOG_LEVEL: "fatal" });
      fail(t, env);
      const answer = await get(target.base, "/readyz");
      refused(answer, 503, "UNAVAILABLE");
      assert.doesNotMatch(answer.text, /disk|no bus/);
      t.mock.restoreAll();
      assert.equal((await get(target.base, "/readyz")).status, 200);
    });
  }
});

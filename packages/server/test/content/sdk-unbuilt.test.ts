import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { it } from "node:test";
import { freshEmail } from "@easel/conformance/target";
import fastify from "fastify";
import { mountSdk } from "../../src/content/service-files.ts";
import { onSqlite } from "../support/engines.ts";
import { temporaryDirectory } from "../support/service.ts";

await onSqlite("the script of the SDK", (target, env) => {
  it("503 in plain text until it has been built", async (t) => {
    const app = fastify();
    const file = path.join(await temporaryDirectory(t), "v1.js");
    mountSdk(app, env, file);
    const { headers } = await target.signIn(freshEmail("person"));
    const get = () =>
      app.inject({ url: "/sdk/v1.js", headers: { ...Object.fromEntries(headers), accept: "text/html" } });
    const missing = await get();
    assert.equal(missing.statusCode, 503);
    assert.equal(missing.headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(missing.headers["cache-control"], "private, no-store");
    assert.match(missing.body, /not been built/);
    await writeFile(file, "1;");
    const built = await get();
    assert.deepEqual([built.statusCode, built.headers["cache-control"]], [200, "public, max-age=3600"]);
  });
});

import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { type Role, type Stage, share, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import { open } from "@easel/conformance/page";
import type { Target } from "@easel/conformance/target";
import { kv } from "../../src/primitives/kv/operations.ts";
import { primitiveWith, startWith } from "../support/primitives.ts";
import { ENGINES, fileScope } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";

const [engine] = ENGINES.filter(({ name }) => name === "postgres");

/** Each call is first admitted by rows from memory that have changed, and then by the rows themselves. */
describe("a call that is repeated because of stale rows", { skip: engine?.skip }, () => {
  const scope = fileScope();
  let target: Target;
  let whole: Target;
  let env: TestEnv;
  let canvas: Stage;
  let effects = 0;

  const probe = primitiveWith({
    // It has an effect, and no statement.
    "/effect": async () => {
      effects++;
      return '{"done":true}';
    },
  });
  const silent = primitiveWith({ "/silent": async () => ({ body: '{"done":true}' }) }, { optimistic: true });

  before(async () => {
    const settings = {
      SERVICE_DATABASE_URL: (await engine?.migratedDatabase(scope)) ?? "",
      SERVICE_RATELIMIT_ENABLED: "true",
      SERVICE_RATELIMIT_LOGIN_PER_MIN: "1000",
    };
    ({ target, whole, env } = await startWith(scope, [probe, silent, kv], settings));
  });
  beforeEach(async () => {
    canvas = await stage(whole);
    effects = 0;
  });

  const page = (role: Role) => open(target, canvas.slug, canvas.people[role]);
  /** Changes the row of the canvas that is remembered. */
  const change = () => env.db.run`update canvases set title = title || '.' where id = ${canvas.id}`;
  const takeAway = () => share(whole, canvas, "private", {});
  const remaining = ({ headers }: Answer) => Number(headers["x-ratelimit-remaining"]);

  it("is counted once for the rate limit, with each header once", async () => {
    const first = await page("viewer").get("/kv");
    await change();
    const second = await page("viewer").get("/kv");
    assert.equal(second.status, 200);
    assert.equal(remaining(second), remaining(first) - 1);
    assert.deepEqual(Object.keys(second.headers).sort(), Object.keys(first.headers).sort());
  });

  it("has its body again", async () => {
    assert.equal((await page("editor").put("/kv/note", 1)).status, 200);
    await change();
    assert.equal((await page("editor").put("/kv/note", { text: "two" })).status, 200);
    assert.deepEqual((await page("editor").get("/kv/note")).json, { value: { text: "two" } });
  });

  it("writes nothing if the right to write has ended", async () => {
    assert.equal((await page("editor").put("/kv/note", 1)).status, 200);
    await share(whole, canvas, "private", { editor: "viewer" });
    assert.equal((await page("editor").put("/kv/note", 2)).status, 403);
    assert.deepEqual((await page("owner").get("/kv/note")).json, { value: 1 });
  });

  it("does not answer from stale rows if it makes no statement", async () => {
    assert.equal((await page("viewer").get("/silent")).status, 200);
    await takeAway();
    assert.equal((await page("viewer").get("/silent")).status, 404);
  });

  it("has no effect by stale rows", async () => {
    assert.equal((await page("viewer").get("/effect")).status, 200);
    assert.equal(effects, 1);
    await takeAway();
    assert.equal((await page("viewer").get("/effect")).status, 404);
    assert.equal(effects, 1);
  });

  it("is not refused by stale rows", async () => {
    for (const path of ["/kv", "/silent", "/effect", "/nothing"])
      assert.equal((await page("stranger").get(path)).status, 404);
    await share(whole, canvas, "whole_org", {});
    assert.equal((await page("stranger").get("/kv")).status, 200);
    assert.equal((await page("stranger").get("/effect")).status, 200);
  });
});

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import type { Db } from "../../src/drivers/db/db.ts";
import { identify } from "../../src/identity/identify.ts";
import { changedDb } from "../support/changed-db.ts";
import { startService } from "../support/service.ts";

test("malformed session tokens are never looked up, so that they cannot fill the cache", async (t) => {
  const { env } = await startService(t);
  let asked = 0;
  const getCached: Db["getCached"] = (...statement) => {
    asked++;
    return env.db.getCached(...statement);
  };
  const person = (token: string) => {
    const request = { headers: { cookie: `easel_session=${token}` } } as IncomingMessage;
    return identify(request, null, { ...env, db: changedDb(env.db, { getCached }) });
  };
  for (const token of ["", "x", "y".repeat(42), "z".repeat(15_000)])
    assert.equal((await person(token)).user.kind, "visitor");
  assert.equal(asked, 0);
  assert.equal((await person("a".repeat(43))).user.kind, "visitor");
  assert.equal(asked, 1);
});

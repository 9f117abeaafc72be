import assert from "node:assert/strict";
import { test } from "node:test";
import { SetupError } from "../../../config/setting-types.ts";
import { Unavailable } from "../../db/db.ts";
import { type ExpiringKeys, providersOfAws, renewed } from "./s3-credentials.ts";

const MINUTE_MS = 60_000;

/** A provider whose keys are good for an hour, and the time that it goes by. */
function provider() {
  const state = { now: 0, calls: 0, fails: false };
  const provide = async (): Promise<ExpiringKeys> => {
    state.calls++;
    if (state.fails) throw new Error("the metadata service is away");
    const expiration = new Date(state.now + 60 * MINUTE_MS);
    return { accessKeyId: `key ${state.calls}`, secretAccessKey: "s", expiration };
  };
  const source = renewed(provide, () => state.now);
  return { state, id: async () => (await source()).accessKeyId, source };
}

test("keys are found once for all requests that wait, and are there without waiting until they expire soon", async () => {
  const { state, id, source } = provider();
  assert.deepEqual(await Promise.all([id(), id(), id()]), ["key 1", "key 1", "key 1"]);
  state.now = 54 * MINUTE_MS;
  assert.ok(!(source() instanceof Promise));
  assert.equal(state.calls, 1);
});

test("keys are replaced 5 minutes before they expire, and requests do not wait for that", async () => {
  const { state, id } = provider();
  await id();
  state.now = 56 * MINUTE_MS;
  assert.equal(await id(), "key 1");
  assert.equal(await id(), "key 2");
  assert.equal(state.calls, 2);
});

test("while keys cannot be replaced, the old ones go on until they expire; then requests are refused", async () => {
  const { state, id } = provider();
  await id();
  state.fails = true;
  state.now = 56 * MINUTE_MS;
  assert.deepEqual([await id(), await id()], ["key 1", "key 1"]);
  assert.equal(state.calls, 2, "tried again after a while, not with each request");
  state.now = 59.8 * MINUTE_MS;
  await assert.rejects(id(), Unavailable);
  state.fails = false;
  assert.match(await id(), /^key \d$/);
});

test("keys without an end are kept", async () => {
  let calls = 0;
  const source = renewed(
    async () => ({ accessKeyId: `${++calls}`, secretAccessKey: "s" }),
    () => 0,
  );
  await source();
  await source();
  assert.equal(calls, 1);
});

test("without the package of the providers, the error names the variables and the command", async () => {
  await assert.rejects(
    providersOfAws("@aws-sdk/is-not-installed"),
    (error: Error) =>
      error instanceof SetupError &&
      /AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/.test(error.message) &&
      /npm install @aws-sdk\/credential-providers/.test(error.message),
  );
});

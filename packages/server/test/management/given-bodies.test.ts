import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { z } from "zod";
import type { Env } from "../../src/env.ts";
import { type ActBody, json, optionalJson, preparedJson, upload } from "../../src/management/bodies.ts";
import { actCaller } from "../../src/management/callers.ts";
import { inputOf } from "../../src/operations/operation.ts";
import type { GivenBody } from "../../src/operations/operation-body.ts";
import { RequestBody } from "../../src/operations/request-input.ts";
import { userWith } from "../support/principals.ts";

const schema = z.strictObject({ reason: z.string().default("none") });
const env = {} as Env;
const caller = actCaller({ user: userWith("test"), credential: null, passes: [] }, "127.0.0.1", env);
const sender = { ...inputOf({}), caller };

const receive = <Value>(body: ActBody<Value>, given: GivenBody) =>
  body.receive(given, sender, env, async (parse) => parse());

for (const [name, body] of [
  ["json", json(schema)],
  ["optionalJson", optionalJson(schema)],
  ["preparedJson", preparedJson(schema, async (given) => given)],
] as const) {
  test(`${name} takes the value that a caller in the same process gives, and validates it`, async () => {
    assert.deepEqual(await receive(body, { value: { reason: "spam" } }), { reason: "spam" });
    await assert.rejects(receive(body, { value: { reason: 1 } }), { status: 400 });
  });

  test(`${name} refuses bytes of another type without reading them`, async () => {
    const request = new IncomingMessage(new Socket());
    request.headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "10" };
    await assert.rejects(receive(body, new RequestBody(request)), { status: 400 });
  });
}

test("an absent body is {} where it is optional, and refused elsewhere", async () => {
  const absent = new RequestBody(new IncomingMessage(new Socket()));
  for (const given of [absent, { value: undefined }]) {
    assert.deepEqual(await receive(optionalJson(schema), given), { reason: "none" });
    await assert.rejects(receive(json(schema), given), { status: 400 });
  }
});

test("an upload has no value but bytes", async () => {
  const body = upload({ type: "application/zip", schema: z.any() }, async () => assert.fail("it was stored"));
  await assert.rejects(receive(body, { value: "text" }), { code: "INVALID_BODY" });
});

import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { z } from "zod";
import type { Env } from "../../src/env.ts";
import { json, optionalJson, preparedJson } from "../../src/management/act.ts";
import { userWith } from "../support/principals.ts";

const schema = z.strictObject({ reason: z.string() });
const env = {} as Env;

for (const [name, spec] of [
  ["json", json(schema)],
  ["optionalJson", optionalJson(schema)],
  ["preparedJson", preparedJson(schema, async (given) => given)],
] as const)
  test(`${name} takes the value of a body that has been read, and does not wait for it again`, async () => {
    const request = new IncomingMessage(new Socket());
    request.headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "10" };
    const call = {
      user: userWith("test"),
      credential: null,
      passes: [],
      params: {},
      query: {},
      request,
      signal: () => new AbortController().signal,
    };
    assert.deepEqual(await spec.read({ ...call, given: { reason: "spam" } }, env), { reason: "spam" });
    await assert.rejects(spec.read({ ...call, given: { reason: 1 } }, env), { status: 400 });
  });

import assert from "node:assert/strict";
import type { Answer } from "@easel/conformance/http";
import type { Env } from "../../src/env.ts";

/** Returns all authorization codes and tokens in the database. */
const storedIn = async ({ db }: Env) => ({
  codes: await db.all`select secret_hash, user_id, denied, token_id from oauth_codes order by secret_hash`,
  tokens: await db.all`select id from tokens order by id`,
});

/** Runs requests, and asserts that they change no code and no token. */
export async function changesNothing(env: Env, work: () => Promise<unknown>): Promise<void> {
  const asItWas = await storedIn(env);
  await work();
  assert.deepEqual(await storedIn(env), asItWas);
}

/** Asserts that a response is an error page of the service, without a redirect. */
export function isErrorPage({ status, headers, text }: Answer, expected = 400): void {
  assert.equal(status, expected, text);
  assert.match(String(headers["content-type"]), /^text\/html/);
  assert.equal(headers.location, undefined);
  assert.doesNotMatch(text, /name="ticket"|<script/);
}

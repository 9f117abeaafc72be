import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { after, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { guestOf, revoke } from "@easel/conformance/guest";
import type { Header } from "@easel/conformance/http";
import { tokenOf } from "@easel/conformance/token";
import type { User } from "../../src/access/principal.ts";
import { openGate } from "../../src/canvases/gate-cookie.ts";
import { findCanvas } from "../../src/canvases/store.ts";
import type { Env } from "../../src/env.ts";
import type { Caller } from "../../src/identity/credential.ts";
import { identify } from "../../src/identity/identify.ts";
import { readmit } from "../../src/pipeline/admit.ts";
import { startDev } from "../support/engines.ts";
import { claims, newKey, sign, signedBy, startKeyServer, TOKEN_HEADER } from "./proxy-tokens.ts";

const HOUR_MS = 60 * 60 * 1000;
const scope = { after };
const { target, env } = await startDev(scope);
const key = await newKey("RS", "rsa");
const signed = await startDev(scope, signedBy(await startKeyServer(scope, key)));

/** Reads the credential of a request with these headers, and then removes all headers from the request. */
async function callerWith(headers: Header[], at: Env): Promise<Caller<User>> {
  const distinct = headers.map(([name, value]) => [name.toLowerCase(), [value]]);
  const request = {
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    headersDistinct: Object.fromEntries(distinct),
  };
  const { user, ...proof } = await identify(request as unknown as IncomingMessage, null, at, {
    tokens: "api",
  });
  Object.assign(request, { headers: {}, headersDistinct: {} });
  return { user: user.kind === "visitor" ? assert.fail("the request has no credential") : user, ...proof };
}

/** Checks the rights of a caller again, as for a late body or an open connection, and returns the caller with their rights now. */
const again = (caller: Caller<User>, { id, slug }: Pick<Stage, "id" | "slug">, at: Env) =>
  readmit({ ...caller, canvas: { id, slug }, use: { reads: true, leavesCanvas: false } }, "kv", at);

/** Checks that the caller has rights until `end` has run, and then none. */
async function loses(
  { kind, headers, canvas, at = env }: { kind: string; headers: Header[]; canvas: Stage; at?: Env },
  end: () => unknown,
  refusal: object = { status: 401 },
): Promise<void> {
  const caller = await callerWith(headers, at);
  assert.equal(caller.credential?.kind, kind);
  for (const [name, value] of headers) {
    const secret = name === "Cookie" ? value.slice(value.indexOf("=") + 1) : value;
    assert.ok(!JSON.stringify(caller.credential).includes(secret), "a credential holds no secret");
  }
  const { user, credential } = await again(caller, canvas, at);
  assert.deepEqual([user.id, credential], [caller.user.id, caller.credential]);
  await end();
  await assert.rejects(again(caller, canvas, at), refusal);
}

it("a session: until it is ended", async () => {
  const canvas = await stage(target);
  const { headers, email } = canvas.people.viewer;
  await loses(
    { kind: "session", headers, canvas },
    () => env.db.run`delete from sessions where user_id = (select id from users where email = ${email})`,
  );
});

it("a session: until it expires, which its uses put off", async () => {
  const canvas = await stage(target);
  const caller = await callerWith(canvas.people.viewer.headers, env);
  const id = caller.credential?.kind === "session" ? caller.credential.id : assert.fail();
  const end = Date.now() + 60 * 24 * HOUR_MS;
  await env.db.run`update sessions set expires_at = ${end} where id = ${id}`;
  assert.equal((await again(caller, canvas, { ...env, clock: () => end - 1 })).credential?.until, end);
  await assert.rejects(again(caller, canvas, { ...env, clock: () => end }), { status: 401 });
});

it("the session of a guest: until the invitation is revoked", async () => {
  const canvas = await stage(target);
  const guest = await guestOf(target, canvas);
  await loses({ kind: "session", headers: guest.headers, canvas }, () => revoke(target, canvas, guest));
});

it("an access token: until it is deleted", async () => {
  const canvas = await stage(target);
  const { id, headers } = await tokenOf(target, canvas.people.viewer);
  await loses({ kind: "token", headers, canvas }, () => env.db.run`delete from tokens where id = ${id}`);
});

it("an access token: until it expires, and with the restriction that it has then", async () => {
  const canvas = await stage(target);
  const end = Date.now() + HOUR_MS;
  const { id, headers } = await tokenOf(target, canvas.people.viewer, end);
  const caller = await callerWith(headers, env);
  assert.equal(caller.credential?.until, end);
  await assert.rejects(again(caller, canvas, { ...env, clock: () => end }), { status: 401 });
  await env.db.run`update tokens set scope = 'deploy' where id = ${id}`;
  await assert.rejects(again(caller, canvas, env), { code: "PERMISSION_DENIED" });
});

it("an assertion of the proxy: until it expires, with half a minute of tolerance", async () => {
  const canvas = await stage(target);
  const email = canvas.people.viewer.email;
  const { base } = signed.env;
  const at = { ...signed.env, db: env.db, base };
  const exp = Number(claims().exp);
  const headers: Header[] = [[TOKEN_HEADER, await sign(key, "RS256", { email, exp })]];
  await loses({ kind: "assertion", headers, canvas, at }, () => {
    at.clock = () => (exp + 30) * 1000;
  });
});

it("an assertion of the proxy: until the user is deactivated", async () => {
  const canvas = await stage(target);
  const email = canvas.people.viewer.email;
  const at = { ...signed.env, db: env.db };
  const headers: Header[] = [[TOKEN_HEADER, await sign(key, "RS256", { email })]];
  await loses(
    { kind: "assertion", headers, canvas, at },
    () => env.db.run`update users set deactivated_at = 1 where email = ${email}`,
  );
});

it("the pass of a password: until the password is set again", async () => {
  const canvas = await stage(target, { terms: { password: "open, sesame" } });
  const { headers } = canvas.people.viewer;
  const { user } = await callerWith(headers, env);
  await assert.rejects(again(await callerWith(headers, env), canvas, env), { code: "PASSWORD_REQUIRED" });
  const row = (await findCanvas(canvas.id, user, env)) ?? assert.fail();
  const stored = await env.db.get<{ password_hash: string }>`
    select password_hash from canvases where id = ${canvas.id}`;
  const gated = { id: row.id, slug: row.slug, passwordHash: stored?.password_hash ?? null };
  const pass = openGate(gated, user, env)[0]?.split(";")[0] ?? assert.fail();
  const [session] = headers.flatMap(([name, value]) => (name === "Cookie" ? [value] : []));
  const caller = await callerWith([["Cookie", `${session}; ${pass}`]], env);
  assert.equal((await again(caller, canvas, env)).role, "viewer");
  await env.db.run`update canvases set password_hash = 'other' where id = ${canvas.id}`;
  await assert.rejects(again(caller, canvas, env), { code: "PASSWORD_REQUIRED" });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail } from "@easel/conformance/target";
import { post, signIn, tokenOf, whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";

const { target, env } = await startDev({ after });
const { base } = target;

describe("a session", () => {
  it("ends on the server when the user signs out", async () => {
    const person = await target.signIn(freshEmail("out"));
    const other = await target.signIn(person.email);
    const cookie = String(person.headers[0]?.[1]);
    const answer = await post(base, "/auth/logout", person.headers, "");
    assert.equal(answer.status, 204);
    assert.equal(
      answer.headers["set-cookie"]?.[0],
      "easel_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    );
    unauthenticated(await whoAmI(base, [["Cookie", cookie]]));
    assert.equal((await whoAmI(base, other.headers)).status, 200);
    assert.equal((await post(base, "/auth/logout", person.headers, "")).status, 204);
    assert.equal((await post(base, "/auth/logout", [], "")).status, 204);
  });

  it("expires", async () => {
    const person = await target.signIn(freshEmail("late"));
    const cookie = String(person.headers[0]?.[1]);
    const { id } = (await whoAmI(base, [["Cookie", cookie]])).json;
    await env.db.run`update sessions set expires_at = ${Date.now()} where user_id = ${String(id)}`;
    unauthenticated(await whoAmI(base, [["Cookie", cookie]]));
  });

  it("ends when the user is deactivated, who cannot sign in again", async () => {
    const person = await target.signIn(freshEmail("gone"));
    await env.db.run`update users set deactivated_at = ${Date.now()} where email = ${person.email}`;
    unauthenticated(await whoAmI(base, person.headers));
    refused(await signIn(base, { email: person.email }), 403, "PERMISSION_DENIED");
  });

  const forged: [name: string, cookie: (token: string) => string][] = [
    ["none", () => ""],
    ["an empty one", () => "easel_session="],
    ["a made-up one", () => `easel_session=${"A".repeat(43)}`],
    ["a truncated one", (token) => `easel_session=${token.slice(0, -1)}`],
    ["a longer one", (token) => `easel_session=${token}A`],
    ["one in other letters", (token) => `easel_session=${token.toLowerCase()}.`],
    ["one in quotes", (token) => `easel_session="${token}"`],
    ["another name", (token) => `easel_sessions=${token}`],
    ["the name of https", (token) => `__Host-easel_session=${token}`],
    ["a name in other letters", (token) => `Easel_Session=${token}`],
    ["two that differ", (token) => `easel_session=${token}; easel_session=x`],
    ["two that differ, the other way round", (token) => `easel_session=x; a=b; easel_session=${token}`],
    ["a NUL", (token) => `easel_session=${token}%00`],
    ["64 KiB of nothing", () => `easel_session=${"%00".repeat(4000)}`],
  ];
  for (const [name, cookie] of forged) {
    it(`a cookie with ${name} is invalid`, async () => {
      const token = tokenOf(await target.signIn("forged@example.com"));
      unauthenticated(await whoAmI(base, [["Cookie", cookie(token)]]));
    });
  }

  it("is found among other cookies, also when it is sent twice", async () => {
    const token = tokenOf(await target.signIn("among@example.com"));
    for (const cookie of [
      `a=b; easel_session=${token};c="d"`,
      `easel_session=${token}; easel_session=${token}`,
    ]) {
      assert.equal((await whoAmI(base, [["Cookie", cookie]])).status, 200, cookie);
    }
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { refused } from "@easel/conformance/refusal";
import { freshEmail } from "@easel/conformance/target";
import { cookieOf, FORM, JSON_TYPE, post, signIn, submit, tokenOf, whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";

const { target, env } = await startDev({ after });
const { base } = target;

describe("POST /auth/dev/session", () => {
  it("204 and a cookie for fourteen days that scripts cannot read", async () => {
    const answer = await signIn(base, { email: freshEmail("ada"), name: "Ada" });
    assert.deepEqual([answer.status, answer.text], [204, ""]);
    assert.equal(answer.headers["set-cookie"]?.length, 1);
    assert.match(
      answer.headers["set-cookie"]?.[0] ?? "",
      /^easel_session=[A-Za-z0-9_-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it("the token itself is not stored", async () => {
    const token = tokenOf(await target.signIn(freshEmail("stored")));
    const rows = await env.db.all<{ token_hash: Uint8Array }>`select token_hash from sessions`;
    assert.ok(rows.length > 0);
    assert.ok(rows.every((row) => !Buffer.from(row.token_hash).includes(token)));
  });

  it("each sign-in starts a separate session of the same user", async () => {
    const email = freshEmail("twice");
    const [first, second] = [await target.signIn(email), await target.signIn(email.toUpperCase())];
    assert.notEqual(tokenOf(first), tokenOf(second));
    const ids = await Promise.all(
      [first, second].map(async ({ headers }) => (await whoAmI(base, headers)).json.id),
    );
    assert.equal(ids[0], ids[1]);
  });

  const names: [name: string, email: string, given: string | undefined, shown: string][] = [
    ["the name that is given", "given@example.com", "Grace Hopper", "Grace Hopper"],
    ["a name made of the address", "grace.brewster_hopper@example.com", undefined, "Grace Brewster Hopper"],
    ["a name with spaces around it", "spaces@example.com", "  Grace  ", "Grace"],
    ["a name in any script", "script@example.com", "グレース · 👩‍💻", "グレース · 👩‍💻"],
    ["a name like a tag", "tag@example.com", "<script>alert(1)</script>", "<script>alert(1)</script>"],
  ];
  for (const [name, email, given, shown] of names) {
    it(`${name}: ${shown}`, async () => {
      const answer = await signIn(base, { email, name: given });
      assert.equal((await whoAmI(base, [cookieOf(answer)])).json.name, shown);
    });
  }

  it("a new name replaces the former one; no name keeps it", async () => {
    const email = freshEmail("renamed");
    const shown = async (name?: string) =>
      (await whoAmI(base, [cookieOf(await signIn(base, { email, name }))])).json.name;
    assert.deepEqual([await shown("One"), await shown("Two"), await shown()], ["One", "Two", "Two"]);
  });

  const addresses = [
    "",
    " ",
    "a",
    "@",
    "a@",
    "@example.com",
    "a@@example.com",
    "a@b@example.com",
    "a b@example.com",
  ];
  const more = [
    "a@exa mple.com",
    "a@example..com",
    "a@.com",
    "a@example.",
    "a,b@example.com",
    "a;b@example.com",
    "<a@example.com>",
  ];
  const worst = [
    '"a"@example.com',
    "a\n@example.com",
    "a\0@example.com",
    "a@example.com\0",
    "a@[127.0.0.1]",
    "a@münchen.de",
  ];
  const long = [`${"a".repeat(65)}@example.com`, `a@${"b".repeat(64)}.com`, `a@${"b.".repeat(126)}com`];
  for (const email of [...addresses, ...more, ...worst, ...long]) {
    it(`${JSON.stringify(email).slice(0, 40)} is not an address: 400`, async () => {
      refused(await signIn(base, { email }), 400, "INVALID_BODY");
      refused(await submit(base, { email }), 400, "INVALID_BODY");
    });
  }

  it("only ASCII letters of an address are lower-cased, so that it stays unique", async () => {
    const mike = await whoAmI(base, (await target.signIn("mike@example.com")).headers);
    const answer = await signIn(base, { email: "mi\u212Ae@example.com" });
    if (answer.status === 204)
      assert.notEqual((await whoAmI(base, [cookieOf(answer)])).json.id, mike.json.id);
    else refused(answer, 400, "INVALID_BODY");
  });

  it("a name with a control character: 400", async () => {
    for (const name of ["a\0b", "a\nb", "\u001b[31m"]) {
      refused(await signIn(base, { email: "control@example.com", name }), 400, "INVALID_BODY");
    }
  });

  const bodies: [name: string, body: string | Buffer][] = [
    ["nothing", ""],
    ["no JSON", "{"],
    ["no object", "[]"],
    ["null", "null"],
    ["text", '"a@example.com"'],
    ["no address", "{}"],
    ["an address that is a number", '{"email":1}'],
    ["an address that is a list", '{"email":["a@example.com"]}'],
    ["a name that is a number", '{"email":"a@example.com","name":1}'],
    ["an empty name", '{"email":"a@example.com","name":" "}'],
    ["a name of 201 characters", JSON.stringify({ email: "a@example.com", name: "n".repeat(201) })],
    ["an unknown field", '{"email":"a@example.com","isAdmin":true}'],
    ["a field of every object", '{"email":"a@example.com","__proto__":{"isAdmin":true}}'],
    ["invalid UTF-8", Buffer.from('{"email":"a@example.com","name":"\xff"}', "latin1")],
    ["too many levels", `{"email":${"[".repeat(5000)}${"]".repeat(5000)}}`],
  ];
  for (const [name, body] of bodies) {
    it(`a body with ${name}: 400 INVALID_BODY and no session`, async () => {
      const answer = await post(base, "/auth/dev/session", [JSON_TYPE], body);
      refused(answer, 400, "INVALID_BODY");
      assert.equal(answer.headers["set-cookie"], undefined);
    });
  }

  it("another content type: 400; a body that is too large: 413", async () => {
    const body = '{"email":"a@example.com"}';
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json-patch+json"]) {
      refused(await post(base, "/auth/dev/session", [["Content-Type", type]], body), 400, "INVALID_BODY");
    }
    refused(
      await post(base, "/auth/dev/session", [JSON_TYPE], " ".repeat(300 * 1024)),
      413,
      "BODY_TOO_LARGE",
    );
    refused(await post(base, "/auth/login", [FORM], `email=${"a".repeat(9 * 1024)}`), 413, "BODY_TOO_LARGE");
  });
});

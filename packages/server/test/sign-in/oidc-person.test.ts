import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { HONEST, signIn, startWithFake } from "./oidc-fake.ts";
import { BROKEN, turnedDown, Visitor } from "./oidc-visitor.ts";

const { fake, base } = await startWithFake({ after });
beforeEach(() => fake.reset());

describe("the address", () => {
  const elsewhere = { email: undefined, email_verified: undefined };
  const rows: [name: string, claims: Record<string, unknown>, status: 303 | 403][] = [
    ["verified", { email_verified: true }, 303],
    ["not verified", { email_verified: false }, 403],
    ["verified, nobody says", { email_verified: undefined }, 403],
    ["verified in words", { email_verified: "true" }, 403],
    ["verified in numbers", { email_verified: 1 }, 403],
    ["none at all", elsewhere, 403],
    ["no text", { email: ["fake@example.com"] }, 403],
    ["null", { email: null }, 403],
    ["empty", { email: "" }, 403],
    ["two @", { email: "ada@example.com@evil.example" }, 403],
    ["two addresses", { email: "ada@example.com,root@example.com" }, 403],
    ["a line break", { email: "ada@example.com\nroot@example.com" }, 403],
    ["no domain", { email: "ada" }, 403],
  ];
  for (const [name, claims, status] of rows) {
    it(`${name}: ${status}`, async () => {
      fake.claims = claims;
      const answer = await signIn(base);
      if (status === 303) return assert.equal(answer.status, 303);
      turnedDown(answer, status, /not verified|may not sign in/);
    });
  }

  it("is fetched from the userinfo endpoint when the ID token has none", async () => {
    fake.claims = elsewhere;
    fake.answers["/userinfo"] = { status: 200, body: { ...HONEST, email: "info@example.com", name: "Info" } };
    const visitor = new Visitor();
    assert.equal((await signIn(base, visitor)).status, 303);
    const { email, name } = await visitor.me(base);
    assert.deepEqual([email, name], ["info@example.com", "Info"]);
  });

  const infos: [name: string, body: unknown, status: number, says: RegExp][] = [
    ["of somebody else", { ...HONEST, sub: "another" }, 503, BROKEN],
    ["of nobody", { ...HONEST, sub: undefined }, 503, BROKEN],
    ["without an address", { sub: HONEST.sub }, 403, /not verified/],
    ["with an address that is not verified", { ...HONEST, email_verified: "true" }, 403, /not verified/],
  ];
  for (const [name, body, status, says] of infos) {
    it(`userinfo ${name}: ${status}`, async () => {
      fake.claims = elsewhere;
      fake.answers["/userinfo"] = { status: 200, body };
      turnedDown(await signIn(base), status, says);
    });
  }

  it("without a word on verification gives way to that of userinfo, which is not combined with it", async () => {
    fake.claims = { email_verified: undefined };
    fake.answers["/userinfo"] = { status: 200, body: { ...HONEST, email: "info@example.com" } };
    const visitor = new Visitor();
    assert.equal((await signIn(base, visitor)).status, 303);
    assert.equal((await visitor.me(base)).email, "info@example.com");
    fake.answers["/userinfo"] = { status: 200, body: { sub: HONEST.sub, email_verified: true } };
    turnedDown(await signIn(base), 403, /not verified/);
  });
});

describe("the name", () => {
  const rows: [claims: Record<string, unknown>, shown: string][] = [
    [{ name: "Grace Hopper" }, "Grace Hopper"],
    [{ name: "Grace Hopper", preferred_username: "grace" }, "Grace Hopper"],
    [{ preferred_username: "grace" }, "grace"],
    [{ preferred_username: "grace@example.com" }, "Named Person"],
    [{ name: " ", preferred_username: "grace" }, "grace"],
    [{ name: 1, preferred_username: { a: 1 } }, "Named Person"],
    [{ name: " a\u0000b\nc " }, "abc"],
    [{ name: "\ud800" }, "\ufffd"],
    [{ name: "<b>" }, "<b>"],
    [{ name: "n".repeat(300) }, "n".repeat(200)],
  ];
  for (const [row, [claims, shown]] of rows.entries()) {
    it(`${JSON.stringify(claims).slice(0, 70)}: ${shown.slice(0, 20)}`, async () => {
      fake.claims = { ...claims, sub: `account ${row}`, email: `named.person@row-${row}.example` };
      const visitor = new Visitor();
      await signIn(base, visitor);
      assert.equal((await visitor.me(base)).name, shown);
    });
  }
});

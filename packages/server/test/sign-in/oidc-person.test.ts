import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import type { Header } from "@easel/conformance/http";
import { JSON_TYPE, post, whoAmI } from "../support/client.ts";
import { HONEST, signIn, startWithFake } from "./oidc-fake.ts";
import { BROKEN, turnedDown, Visitor } from "./oidc-visitor.ts";

const { fake, base, env } = await startWithFake({ after });
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

describe("somebody who does not belong here any more", () => {
  const token = async (visitor: Visitor) => {
    const session: Header = ["Cookie", `easel_session=${visitor.cookie(base, "easel_session")}`];
    const made = await post(base, "/api/tokens", [session, JSON_TYPE, ["Origin", base]], '{"name":"CI"}');
    return [["Authorization", `Bearer ${made.json.token}`]] as Header[];
  };
  const rows: [name: string, leaves: object, refusal: RegExp][] = [
    ["has left the groups that may sign in", { groups: ["others"] }, /in no group/],
    ["has left the domains that may sign in", { email: "leaver@evil.example" }, /may not sign in/],
  ];
  for (const [at, [name, leaves, refusal]] of rows.entries())
    it(`${name}: refused at the next sign-in, which ends sessions and access tokens`, async (t) => {
      const { config } = env;
      t.after(() => {
        env.config = config;
      });
      const settings = { oidcGroupsClaim: "groups", oidcAllowedGroups: ["staff"] };
      env.config = { ...config, ...settings, allowedEmailDomains: ["example.com"] };
      fake.claims = { sub: name, groups: ["staff"], email: `${at}-leaver@example.com` };
      const visitor = new Visitor();
      assert.equal((await signIn(base, visitor)).status, 303);
      const program = await token(visitor);
      assert.equal((await whoAmI(base, program)).status, 200);
      // One whose provider sends nothing of use loses nothing.
      fake.claims = { ...fake.claims, email_verified: false };
      turnedDown(await signIn(base), 403, /not verified/);
      assert.equal((await whoAmI(base, program)).status, 200);
      fake.claims = { ...fake.claims, email_verified: true, ...leaves };
      turnedDown(await signIn(base), 403, refusal);
      assert.equal((await visitor.get(`${base}/api/me`)).status, 302);
      assert.equal((await whoAmI(base, program)).status, 401);
    });
});

import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { line } from "@easel/conformance/realtime/line";
import { same } from "@easel/conformance/same";
import { freshEmail, oidcTarget, type Person } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { generateKeyPair, SignJWT } from "jose";
import { FORM, JSON_TYPE, post, whoAmI } from "../support/client.ts";
import { DAY_MS, later, MINUTE_MS } from "../support/time.ts";
import { signIn, startWithFake } from "./oidc-fake.ts";
import { CLIENT, startWithProvider } from "./oidc-provider.ts";
import { turnedDown, Visitor } from "./oidc-visitor.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const { fake, base, env } = await startWithFake({ after });
const real = await startWithProvider({ after }, { settings: { SERVICE_OIDC_LOGOUT: "on" } });
const stranger = await generateKeyPair("ES256");
beforeEach(() => fake.reset());

let made = 0;

/** Returns a logout token of the fake provider, changed by `own` and `header`. */
const logoutToken = (own: Record<string, unknown>, header: object = {}, key = fake.key().privateKey) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: fake.issuer,
    aud: CLIENT,
    iat: now,
    exp: now + 120,
    jti: `jti ${++made}`,
    events: { [EVENT]: {} },
  };
  const kid = String(fake.key().publicKey.kid);
  return new SignJWT({ ...claims, ...own })
    .setProtectedHeader({ alg: "ES256", kid, typ: "logout+jwt", ...header })
    .sign(key);
};

const logOut = (token: string) =>
  post(base, "/auth/backchannel-logout", [FORM], new URLSearchParams({ logout_token: token }).toString());

/** Signs a browser in at the fake provider, in the session `sid` of the account `sub`. */
async function browserOf(sub: string, sid: string): Promise<Visitor> {
  fake.claims = { sub, sid, email: `${sub}@example.com` };
  const visitor = new Visitor();
  assert.equal((await signIn(base, visitor)).status, 303);
  return visitor;
}
const isIn = async (visitor: Visitor) => (await visitor.get(`${base}/api/me`)).status === 200;

describe("back-channel logout", () => {
  it("with a session: that session ends, and no other one of the person", async () => {
    const [one, other] = [await browserOf("ada", "one"), await browserOf("ada", "other")];
    assert.equal((await logOut(await logoutToken({ sub: "ada", sid: "one" }))).status, 200);
    assert.deepEqual([await isIn(one), await isIn(other)], [false, true]);
    assert.equal((await logOut(await logoutToken({ sid: "other" }))).status, 200);
    assert.equal(await isIn(other), false);
  });

  it("without a session: every session of the person ends, and nobody else's", async () => {
    const [first, second, bob] = [
      await browserOf("eve", "1"),
      await browserOf("eve", "2"),
      await browserOf("bob", "3"),
    ];
    assert.equal((await logOut(await logoutToken({ sub: "eve" }))).status, 200);
    assert.deepEqual([await isIn(first), await isIn(second), await isIn(bob)], [false, false, true]);
  });

  it("of nobody known here: 200, and a session of somebody else stays", async () => {
    const carol = await browserOf("carol", "carol's");
    assert.equal((await logOut(await logoutToken({ sub: "nobody" }))).status, 200);
    assert.equal((await logOut(await logoutToken({ sub: "nobody", sid: "carol's" }))).status, 200);
    assert.equal(await isIn(carol), true);
  });

  const now = () => Math.floor(Date.now() / 1000);
  const hostile: [name: string, make: () => Promise<string>][] = [
    ["another type", () => logoutToken({ sub: "dan" }, { typ: "JWT" })],
    ["no type", () => logoutToken({ sub: "dan" }, { typ: undefined })],
    ["another issuer", () => logoutToken({ sub: "dan", iss: "https://evil.test" })],
    ["another audience", () => logoutToken({ sub: "dan", aud: "another" })],
    ["another key", () => logoutToken({ sub: "dan" }, {}, stranger.privateKey)],
    ["no event", () => logoutToken({ sub: "dan", events: undefined })],
    ["another event", () => logoutToken({ sub: "dan", events: { "http://evil.test": {} } })],
    ["an event that is text", () => logoutToken({ sub: "dan", events: { [EVENT]: "yes" } })],
    ["a nonce", () => logoutToken({ sub: "dan", nonce: "n" })],
    ["a nonce of null", () => logoutToken({ sub: "dan", nonce: null })],
    ["of three minutes ago", () => logoutToken({ sub: "dan", iat: now() - 180 })],
    ["of the next minute", () => logoutToken({ sub: "dan", iat: now() + 60 })],
    ["no time", () => logoutToken({ sub: "dan", iat: undefined })],
    ["that has expired", () => logoutToken({ sub: "dan", exp: now() - 60 })],
    ["no id", () => logoutToken({ sub: "dan", jti: undefined })],
    ["nobody", () => logoutToken({})],
    ["a session that is no text", () => logoutToken({ sub: "dan", sid: 1 })],
    ["no token", async () => ""],
    ["no signature", async () => `${(await logoutToken({ sub: "dan" })).split(".").slice(0, 2).join(".")}.`],
  ];
  for (const [name, make] of hostile) {
    it(`a token with ${name}: 400, and the session stays`, async () => {
      const dan = await browserOf("dan", "dan's");
      const { status, headers, json } = await logOut(await make());
      assert.deepEqual(
        [status, json.error, headers["cache-control"]],
        [400, "invalid_request", "private, no-store"],
      );
      assert.equal(await isIn(dan), true);
    });
  }

  it("a token counts once", async () => {
    const token = await logoutToken({ sub: "grace" });
    await browserOf("grace", "1");
    assert.equal((await logOut(token)).status, 200);
    const again = await browserOf("grace", "2");
    assert.equal((await logOut(token)).status, 400);
    assert.equal(await isIn(again), true);
  });

  it("an ID token of the provider is none", async () => {
    const dan = await browserOf("dan", "dan's");
    const idToken = await fake.sign({
      iss: fake.issuer,
      aud: CLIENT,
      sub: "dan",
      iat: now(),
      exp: now() + 60,
      nonce: "n",
    });
    assert.equal((await logOut(idToken)).status, 400);
    assert.equal(await isIn(dan), true);
  });
});

describe("the ages of sessions", () => {
  it("an unused one ends after 14 days of its own, a used one after 7 days at a provider", async () => {
    const visitor = await browserOf("aging", "s");
    const before = await whoAmI(base, [["Cookie", `easel_session=${visitor.cookie(base, "easel_session")}`]]);
    assert.equal(before.status, 200);
    for (const days of [3, 6]) assert.equal(await later(env, days * DAY_MS, () => isIn(visitor)), true);
    assert.equal(await later(env, 7 * DAY_MS - MINUTE_MS, () => isIn(visitor)), true);
    const { status, headers } = await later(env, 7 * DAY_MS, () => visitor.get(`${base}/`));
    // The page goes through the provider, and comes back.
    assert.deepEqual([status, headers.location], [302, "/auth/login?returnTo=%2F"]);
  });

  it("a shorter setting counts for sessions that have begun", async () => {
    const visitor = await browserOf("shorter", "s");
    const { config } = env;
    env.config = { ...config, sessionMaxDays: 1 };
    assert.equal(await later(env, DAY_MS - MINUTE_MS, () => isIn(visitor)), true);
    assert.equal(await later(env, DAY_MS, () => isIn(visitor)), false);
    env.config = config;
  });

  it("one that nobody uses ends, and each use extends it", async () => {
    const { config } = env;
    env.config = { ...config, sessionMaxDays: 90, sessionIdleDays: 2 };
    const visitor = await browserOf("idle", "s");
    for (const days of [1.5, 3, 4.5])
      assert.equal(await later(env, days * DAY_MS, () => isIn(visitor)), true);
    assert.equal(await later(env, 6.6 * DAY_MS, () => isIn(visitor)), false);
    env.config = config;
  });
});

describe("a bearer token that does not count", () => {
  for (const [name, path, accept, says] of [
    ["of this service", "/api/me", "application/json", /is invalid or was revoked/],
    ["of this service, for a page", "/c/tea/", "text/html", /accepts no access tokens/],
    ["of another service", "/v1/c/tea/kv", "*/*", /is invalid or was revoked/],
    ["of another service, for the dashboard", "/", "text/html", /accepts no access tokens/],
  ] as const)
    it(`${name}: 401 with WWW-Authenticate, no redirect`, async () => {
      const token = name.startsWith("of this") ? `easel_pat_${"A".repeat(43)}` : "ghp_0123";
      const headers: Header[] = [
        ["Accept", accept],
        ["Authorization", `Bearer ${token}`],
      ];
      const answer = await send(base, { method: "GET", path, headers });
      assert.deepEqual([answer.status, answer.headers.location], [401, undefined], answer.text);
      assert.match(String(answer.headers["www-authenticate"]), says);
    });
});

describe("a real provider", () => {
  const visitors = new Map<string, Visitor>();
  const target = oidcTarget(real.base, "path", async (email, name): Promise<Person> => {
    const visitor = new Visitor();
    await visitor.signIn(real.base, email);
    visitors.set(email, visitor);
    return {
      email,
      name,
      headers: [["Cookie", `easel_session=${visitor.cookie(real.base, "easel_session")}`]],
    };
  });

  it("a person who is removed there is out here with the next request, and their connections are closed", async () => {
    const canvas = await stage(target);
    const { viewer, editor } = canvas.people;
    const dial = line(target);
    const [out, stays] = [await dial(canvas, viewer), await dial(canvas, editor)];
    const token = await tokenOf(target, viewer);
    await real.remove(viewer.email);
    assert.equal((await whoAmI(real.base, viewer.headers)).status, 302);
    same(await out.end(), { code: 4401, frames: [] });
    assert.deepEqual(await stays.settled(), []);
    // Access tokens are ended by administrators or groups.
    assert.equal((await whoAmI(real.base, token.headers)).status, 200);
    const visitor = visitors.get(viewer.email) as Visitor;
    const asked = await visitor.get(await visitor.login(real.base));
    assert.doesNotMatch(
      String(asked.headers.location),
      /code=/,
      "the provider gives no code to somebody who was removed",
    );
  });

  it("signing out goes on to the provider, whose session ends, too", async () => {
    const email = freshEmail("leaves");
    await target.signIn(email);
    const visitor = visitors.get(email) as Visitor;
    const { status, headers, text } = await visitor.post(`${real.base}/auth/logout`, {});
    assert.equal(status, 200, text);
    const to = new URL(String(headers.refresh).replace("0;url=", ""));
    assert.equal(to.origin, real.issuer);
    assert.equal(to.searchParams.get("post_logout_redirect_uri"), `${real.base}/auth/signed-out`);
    assert.match(String(to.searchParams.get("id_token_hint")), /^eyJ/);
    assert.equal(visitor.cookie(real.base, "easel_id_token"), undefined);
    const page = await visitor.get(to.href);
    const xsrf = /name="xsrf" value="(\w+)"/.exec(page.text)?.[1] ?? "";
    const done = await visitor.post(`${real.issuer}/session/end/confirm`, { xsrf, logout: "yes" });
    assert.equal(done.headers.location, `${real.base}/auth/signed-out`);
    assert.match(
      (await visitor.get(`${real.base}/auth/signed-out`)).text,
      /Here, and at the sign-in service/,
    );
    const asked = await visitor.get(await visitor.login(real.base));
    assert.match(String(asked.headers.location), /\/interaction\//);
  });
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

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type Header, send } from "@easel/conformance/http";
import { freshEmail } from "@easel/conformance/target";
import { FORM, post, whoAmI } from "../support/client.ts";
import { exchange, newAttempt, ticketOf } from "./oauth-client.ts";
import { startWithProvider } from "./oidc-provider.ts";
import { turnedDown, Visitor, wayOn } from "./oidc-visitor.ts";

const { base, env, issuer } = await startWithProvider({ after });

describe("signing in at a provider", () => {
  it("requests a code with PKCE, state and nonce", async () => {
    const visitor = new Visitor();
    const { status, headers } = await visitor.get(`${base}/auth/login`);
    assert.equal(status, 302);
    assert.equal(headers["cache-control"], "private, no-store");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.match(
      String(headers["set-cookie"]),
      /^easel_login=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const url = new URL(headers.location ?? "");
    assert.equal(url.origin + url.pathname, `${issuer}/auth`);
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
    assert.deepEqual(rest, {
      client_id: "easel",
      redirect_uri: `${base}/auth/callback`,
      response_type: "code",
      scope: "openid email profile",
      code_challenge_method: "S256",
    });
    for (const secret of [state, nonce, code_challenge]) assert.match(secret ?? "", /^[\w.-]{43,}$/);
    assert.ok(!url.href.includes(visitor.cookie(base, "easel_login") ?? ""));
  });

  it("each user is signed in as asserted, and returns to the requested page", async () => {
    const visitor = new Visitor();
    const email = freshEmail("Ada");
    const answer = await visitor.signIn(base, email, "/c/tea/?a=1&b=%2F#top");
    assert.deepEqual([answer.status, answer.headers.location], [303, "/c/tea/?a=1&b=%2F#top"]);
    assert.equal(answer.headers["cache-control"], "private, no-store");
    const { authMode, name, ...person } = await visitor.me(base);
    assert.deepEqual([authMode, person.email], ["oidc", email.toLowerCase()]);
    assert.equal(name, `Name of ${email.split("@")[0]}`);
  });

  it("the page of access tokens leads to the sign-in and back, and creates tokens that are accepted", async () => {
    const visitor = new Visitor();
    const { headers } = await visitor.get(`${base}/tokens`);
    assert.equal(headers.location, "/auth/login?returnTo=%2Ftokens");
    const email = freshEmail("tokens");
    await visitor.signIn(base, email, "/tokens");
    const session: Header = ["Cookie", `easel_session=${visitor.cookie(base, "easel_session")}`];
    const { status, text } = await post(base, "/tokens", [session, FORM], "name=CI");
    assert.equal(status, 201, text);
    const token = /value="(easel_pat_[\w-]+)"/.exec(text)?.[1];
    assert.equal((await whoAmI(base, [["Authorization", `Bearer ${token}`]])).json.email, email);
  });

  it("the same account is the same user, also with a session at the provider", async () => {
    const visitor = new Visitor();
    const email = freshEmail("back");
    await visitor.signIn(base, email);
    const { id } = await visitor.me(base);
    const again = await visitor.get(await visitor.approve(await visitor.login(base), "nobody@example.com"));
    assert.equal(again.status, 303);
    assert.equal((await visitor.me(base)).id, id);
  });

  it("a client with a secret", async (t) => {
    const closed = await startWithProvider(t, { secret: "secret / with + signs : in it" });
    const visitor = new Visitor();
    assert.equal((await visitor.signIn(closed.base, "closed@example.com")).status, 303);
    assert.equal((await visitor.me(closed.base)).email, "closed@example.com");
  });

  it("a user without a name gets one from the address", async () => {
    const visitor = new Visitor();
    await visitor.signIn(base, "nameless.hopper@example.com");
    assert.equal((await visitor.me(base)).name, "Nameless Hopper");
  });

  it("twenty tabs of one browser at once", async () => {
    const visitor = new Visitor();
    await visitor.signIn(base, "tabs@example.com");
    const ways = await Promise.all(
      Array.from({ length: 20 }, (_, tab) => visitor.login(base, `/c/tab-${tab}/`)),
    );
    const answers = await Promise.all(
      ways.map(async (way) => visitor.get(await visitor.approve(way, "tabs@example.com"))),
    );
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.location]),
      answers.map((_, tab) => [303, `/c/tab-${tab}/`]),
    );
  });

  it("twenty tabs at once of a browser without a cookie: those with a lost binding restart", async () => {
    const visitor = new Visitor();
    const ways = await Promise.all(
      Array.from({ length: 20 }, (_, tab) => visitor.login(base, `/c/tab-${tab}/`)),
    );
    let again = 0;
    for (const [tab, way] of ways.entries()) {
      let answer = await visitor.get(await visitor.approve(way, "cold@example.com"));
      if (answer.status === 302) {
        again++;
        answer = await visitor.get(await visitor.approve(answer.headers.location ?? "", "cold@example.com"));
      }
      assert.deepEqual([answer.status, answer.headers.location], [303, `/c/tab-${tab}/`]);
    }
    assert.equal(again, 19);
  });

  it("a person whom the command line sends signs in at the provider and returns to its question", async () => {
    const visitor = new Visitor();
    const attempt = await newAttempt(base);
    const started = await visitor.get(attempt.url.href);
    const login = new URL(started.headers.location ?? "", base);
    const email = freshEmail("terminal");
    const provider = (await visitor.get(login.href)).headers.location ?? "";
    const back = await visitor.get(await visitor.approve(provider, email));
    const question = await visitor.get(new URL(back.headers.location ?? "", base).href);
    const fields = { ticket: ticketOf(question), answer: "allow" };
    const { headers } = await visitor.post(`${base}/oauth/authorize`, fields);
    const code = new URL(headers.location ?? "").searchParams.get("code");
    const { access_token: token } = (await exchange(attempt, code)).json;
    assert.equal((await whoAmI(base, [["Authorization", `Bearer ${token}`]])).json.email, email);
  });

  it("signing out ends the session", async () => {
    const visitor = new Visitor();
    await visitor.signIn(base, freshEmail("out"));
    const session = visitor.cookie(base, "easel_session");
    await visitor.post(`${base}/auth/logout`, {});
    assert.equal(visitor.cookie(base, "easel_session"), undefined);
    const { status, headers } = await whoAmI(base, [["Cookie", `easel_session=${session}`]]);
    assert.deepEqual([status, headers.location], [302, "/auth/login"]);
  });
});

describe("failed sign-ins", () => {
  it("cancelled at the provider: 403, and a link to try again", async () => {
    const visitor = new Visitor();
    const way = await visitor.login(base, "/c/tea/");
    const form = new URL((await visitor.get(way)).headers.location ?? "", way).href;
    const resumed = await visitor.get(`${form}/abort`);
    const back = await visitor.get(new URL(resumed.headers.location ?? "", way).href);
    const answer = await visitor.get(back.headers.location ?? "");
    turnedDown(answer, 403, /^You are not signed in$/);
    assert.equal(wayOn(answer.text), "/auth/login?returnTo=%2Fc%2Ftea%2F");
  });

  it("an unverified address: 403, and a link to use another account", async () => {
    const answer = await new Visitor().signIn(base, "unverified@example.com", "/c/tea/");
    turnedDown(answer, 403, /not verified/);
    assert.equal(wayOn(answer.text), "/auth/login?returnTo=%2Fc%2Ftea%2F&anew=1");
    const other = await send(base, { method: "GET", path: wayOn(answer.text) });
    assert.equal(new URL(other.headers.location ?? "").searchParams.get("max_age"), "0");
  });

  it("an account without a valid address: 403", async () => {
    for (const account of ["ada", "a@b@example.com", "ada@example.com\u200b"])
      turnedDown(await new Visitor().signIn(base, account), 403, /may not sign in here/);
  });

  it("a domain that is not allowed: 403", async (t) => {
    const closed = await startWithProvider(t, { settings: { SERVICE_ALLOWED_EMAIL_DOMAINS: "example.com" } });
    const foreign = await new Visitor().signIn(closed.base, "ada@sub.example.com");
    turnedDown(foreign, 403, /may not sign in here/);
    assert.equal((await new Visitor().signIn(closed.base, "ada@example.com")).status, 303);
  });

  it("a deactivated user: 403", async () => {
    const email = freshEmail("gone");
    const visitor = new Visitor();
    await visitor.signIn(base, email);
    await env.db.run`update users set deactivated_at = ${env.clock()} where email = ${email}`;
    turnedDown(await visitor.signIn(base, email), 403, /deactivated/);
  });

  it("the callback a second time: 400", async () => {
    const visitor = new Visitor();
    const way = await visitor.approve(await visitor.login(base, "/c/tea/"), "twice@example.com");
    assert.equal((await visitor.get(way)).status, 303);
    const answer = await visitor.get(way);
    turnedDown(answer, 400, /has run out/);
    assert.equal(wayOn(answer.text), "/auth/login?returnTo=%2Fc%2Ftea%2F");
  });

  it("the callback of another browser's sign-in: 400", async () => {
    const attacker = new Visitor();
    const way = await attacker.approve(await attacker.login(base), "attacker@example.com");
    turnedDown(await new Visitor().get(way), 400, /has run out/);
    assert.equal((await attacker.get(way)).status, 303);
  });

  it("the same in a browser with a pending sign-in: it restarts by itself, once", async () => {
    const attacker = new Visitor();
    const victim = new Visitor();
    await victim.login(base);
    const way = await attacker.approve(await attacker.login(base, "/c/tea/"), "attacker@example.com");
    const restarted = await victim.get(way);
    assert.equal(restarted.status, 302);
    assert.equal(victim.cookie(base, "easel_session"), undefined);
    const own = await victim.approve(restarted.headers.location ?? "", "victim@example.com");
    const other = new Visitor();
    await other.login(base);
    turnedDown(await other.get(own), 400, /has run out/);
    assert.equal((await victim.get(own)).headers.location, "/c/tea/");
    assert.equal((await victim.me(base)).email, "victim@example.com");
  });

  it("the same with an error in the callback: 400", async () => {
    const victim = new Visitor();
    await victim.login(base);
    const foreign = new URL(await new Visitor().login(base)).searchParams.get("state");
    const answer = await victim.get(`${base}/auth/callback?error=access_denied&state=${foreign}`);
    turnedDown(answer, 400, /has run out/);
  });

  it("another browser's code with one's own state: 400", async () => {
    const attacker = new Visitor();
    const victim = new Visitor();
    const stolen = new URL(await victim.approve(await victim.login(base), "victim@example.com"));
    const own = new URL(await attacker.login(base)).searchParams.get("state") ?? "";
    stolen.searchParams.set("state", own);
    turnedDown(await attacker.get(stolen.href), 400, /has run out/);
  });

  it("after ten minutes: 400, and returnTo is kept", async (t) => {
    const visitor = new Visitor();
    const way = await visitor.approve(await visitor.login(base, "/c/tea/"), "late@example.com");
    const real = env.clock;
    t.after(() => {
      env.clock = real;
    });
    env.clock = () => real() + 10 * 60_000;
    const answer = await visitor.get(way);
    turnedDown(answer, 400, /has run out/);
    assert.equal(wayOn(answer.text), "/auth/login?returnTo=%2Fc%2Ftea%2F");
    env.clock = () => real() + 9 * 60_000;
    assert.equal((await visitor.get(way)).status, 303);
  });
});

describe("unauthenticated requests in oidc mode", () => {
  const rows: [path: string, asksFor: "api" | "page", to: string][] = [
    ["/v1/c/guestbook/me", "api", "/auth/login"],
    ["/v1/c/nothing-here/kv", "api", "/auth/login"],
    ["/api/me", "api", "/auth/login"],
    ["/api/none", "api", "/auth/login"],
    ["/sdk/v1.js", "api", "/auth/login"],
    ["/c/guestbook/", "page", "/auth/login?returnTo=%2Fc%2Fguestbook%2F"],
    ["/c/guestbook/?a=1", "page", "/auth/login?returnTo=%2Fc%2Fguestbook%2F%3Fa%3D1"],
    ["/", "page", "/auth/login?returnTo=%2F"],
  ];
  for (const [path, asksFor, to] of rows) {
    it(`${path}: 302 to the login route, never 401`, async () => {
      const accept = asksFor === "page" ? "text/html" : "application/json";
      const { status, headers } = await send(base, { method: "GET", path, headers: [["Accept", accept]] });
      assert.deepEqual([status, headers.location], [302, to]);
      assert.equal(headers["cache-control"], "private, no-store");
    });
  }

  it("the routes of dev mode are 404", async () => {
    for (const [method, path] of [
      ["POST", "/auth/dev/session"],
      ["POST", "/auth/login"],
      ["POST", "/auth/callback"],
      ["HEAD", "/auth/callback"],
    ] as const) {
      assert.equal((await send(base, { method, path })).status, 404, `${method} ${path}`);
    }
  });

  it("HEAD of the login route has the headers of GET", async () => {
    const { status, headers } = await send(base, { method: "HEAD", path: "/auth/login" });
    assert.equal(status, 302);
    assert.ok(headers.location?.startsWith(`${issuer}/auth?`));
  });
});

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it, mock } from "node:test";
import { until } from "@easel/conformance/patience";
import { DESCRIPTION, description, signIn, startWithFake } from "./oidc-fake.ts";
import { BROKEN, turnedDown, Visitor } from "./oidc-visitor.ts";

const HOUR_MS = 60 * 60_000;

describe("the provider's metadata", () => {
  it("is fetched at the first sign-in, once for concurrent ones, and cached for an hour", async (t) => {
    const { fake, base, env } = await startWithFake(t);
    assert.deepEqual(fake.asked, []);
    await Promise.all(Array.from({ length: 20 }, () => new Visitor().login(base)));
    await signIn(base);
    assert.deepEqual(fake.asked, [DESCRIPTION, "/token", "/keys"]);

    const real = env.clock;
    env.clock = () => real() + HOUR_MS - 60_000;
    await signIn(base);
    assert.deepEqual(fake.asked.slice(3), ["/token"]);

    env.clock = () => real() + HOUR_MS + 60_000;
    fake.answers = { [DESCRIPTION]: { status: 500, body: "down" } };
    const warn = t.mock.method(env.log, "warn");
    for (let tries = 0; tries < 3; tries++) {
      await new Visitor().login(base);
      await until("a failure is logged", () => warn.mock.callCount() > tries);
    }
    assert.deepEqual(fake.asked.slice(4), [DESCRIPTION, DESCRIPTION, DESCRIPTION]);

    fake.answers = { [DESCRIPTION]: null };
    await Promise.all(Array.from({ length: 20 }, () => new Visitor().login(base)));
    await until("the provider is asked again", () => fake.asked.length > 7);
    assert.deepEqual(fake.asked.slice(7), [DESCRIPTION], "one question at a time");
  });

  it("may change: new URLs are used after an hour", async (t) => {
    const { fake, base, env } = await startWithFake(t);
    await new Visitor().login(base);
    const real = env.clock;
    env.clock = () => real() + HOUR_MS + 60_000;
    const moved = { ...description(fake.issuer), authorization_endpoint: `${fake.issuer}/moved` };
    fake.answers = { [DESCRIPTION]: { status: 200, body: moved } };
    const before = new URL(await new Visitor().login(base)).pathname;
    assert.equal(before, "/authorize");
    let now = before;
    await until("another address holds", async () => {
      now = new URL(await new Visitor().login(base)).pathname;
      return now !== before;
    });
    assert.equal(now, "/moved");
  });

  const elsewhere = [
    "http://accounts.example.com/x",
    "http://127.0.0.1.example.com/x",
    "http://localhost.example.com/x",
    "http://10.0.0.1/x",
    "http://user:password@localhost/x",
    "ftp://accounts.example.com/x",
    "javascript:alert(1)",
    "//accounts.example.com/x",
    "/x",
    "",
  ];
  for (const endpoint of ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]) {
    it(`an ${endpoint} that is neither https nor loopback: 503`, async (t) => {
      const { fake, base } = await startWithFake(t);
      for (const address of elsewhere) {
        const body = { ...description(fake.issuer), [endpoint]: address };
        fake.answers = { [DESCRIPTION]: { status: 200, body } };
        turnedDown(await new Visitor().get(`${base}/auth/login`), 503, BROKEN);
      }
      const without = { ...description(fake.issuer), [endpoint]: undefined };
      fake.answers = { [DESCRIPTION]: { status: 200, body: without } };
      const { status } = await new Visitor().get(`${base}/auth/login`);
      assert.equal(status, endpoint === "userinfo_endpoint" ? 302 : 503);
    });
  }
});

describe("the client", () => {
  const secret = "a b:c+d%";
  const inHeader = `Basic ${Buffer.from("easel:a+b%3Ac%2Bd%25").toString("base64")}`;
  const rows: [name: string, ways: string[] | undefined, header: string | undefined][] = [
    ["where the provider says nothing", undefined, inHeader],
    ["where the provider takes either", ["client_secret_post", "client_secret_basic"], inHeader],
    ["not where the provider takes the body only", ["client_secret_post"], undefined],
  ];
  for (const [name, ways, authorization] of rows) {
    it(`sends its secret in the header ${name}`, async (t) => {
      const { fake, base } = await startWithFake(t, { SERVICE_OIDC_CLIENT_SECRET: secret });
      const body = { ...description(fake.issuer), token_endpoint_auth_methods_supported: ways };
      fake.answers = { [DESCRIPTION]: { status: 200, body } };
      assert.equal((await signIn(base)).status, 303);
      assert.equal(fake.presented[0]?.authorization, authorization);
      const { client_secret } = fake.presented[0]?.form ?? {};
      assert.equal(client_secret, authorization === undefined ? secret : undefined);
    });
  }

  it("without a secret sends its id and the PKCE verifier", async (t) => {
    const { fake, base } = await startWithFake(t);
    const visitor = new Visitor();
    const { searchParams } = new URL(await visitor.login(base));
    const query = new URLSearchParams({ code: "code", state: searchParams.get("state") ?? "" });
    await visitor.get(`${base}/auth/callback?${query}`);
    const { code_verifier = "", ...form } = fake.presented[0]?.form ?? {};
    assert.deepEqual(form, {
      client_id: "easel",
      code: "code",
      grant_type: "authorization_code",
      redirect_uri: `${base}/auth/callback`,
    });
    assert.equal(hash("sha256", code_verifier, "base64url"), searchParams.get("code_challenge"));
  });
});

describe("the keys of the provider", () => {
  it("may change at any time: a new one is fetched", async (t) => {
    const { fake, base } = await startWithFake(t);
    assert.equal((await signIn(base)).status, 303);
    await fake.rotate();
    // The clock moves on, because keys that were fetched less than a minute ago are not fetched again.
    mock.timers.enable({ apis: ["Date"], now: Date.now() + 61_000 });
    t.after(() => mock.timers.reset());
    assert.equal((await signIn(base)).status, 303);
    assert.equal((await signIn(base)).status, 303);
    assert.equal(fake.asked.filter((path) => path === "/keys").length, 2);
  });
});

import assert from "node:assert/strict";
import { after, beforeEach, describe, it } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { signIn, startWithFake, wayBack } from "./oidc-fake.ts";
import { turnedDown, Visitor } from "./oidc-visitor.ts";

const { fake, base, env } = await startWithFake({ after });
beforeEach(() => fake.reset());

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("GET /auth/callback", () => {
  const rows: [name: string, change: (query: URLSearchParams) => void, says: RegExp][] = [
    ["no state", (query) => query.delete("state"), /not complete/],
    ["no code", (query) => query.delete("code"), /not complete/],
    ["an empty code", (query) => query.set("code", ""), /not complete/],
    ["code and error", (query) => query.set("error", "access_denied"), /not complete/],
    ["the code twice", (query) => query.append("code", "x"), /not complete/],
    ["the state twice", (query) => query.append("state", query.get("state") ?? ""), /not complete/],
    ["something else twice", (query) => ["x", "y"].map((each) => query.append("iss", each)), /not complete/],
    ["more than 8 KiB", (query) => query.set("session_state", "s".repeat(8192)), /not complete/],
    ["an empty state", (query) => query.set("state", ""), /has run out/],
    ["a state of nobody's", (query) => query.set("state", "state"), /has run out/],
    ["a state of three parts", (query) => query.set("state", `${query.get("state")}.x`), /has run out/],
    [
      "a state without a signature",
      (query) => query.set("state", `${query.get("state")?.split(".")[0]}.`),
      /run out/,
    ],
    ["a state of NULs", (query) => query.set("state", "\0.\0"), /has run out/],
  ];
  for (const [name, change, says] of rows) {
    it(`with ${name}: 400`, async () => {
      const visitor = new Visitor();
      const back = await wayBack(base, visitor, "/c/tea/");
      change(back.searchParams);
      const before = fake.asked.length;
      turnedDown(await visitor.get(back.href), 400, says);
      assert.equal(fake.asked.length, before, "the provider was asked");
    });
  }

  it("with a state with one bit changed: 400, and its returnTo is ignored", async () => {
    const visitor = new Visitor();
    const back = await wayBack(base, visitor, "/c/tea/");
    const state = back.searchParams.get("state") ?? "";
    const [text = "", signature] = state.split(".");
    const flow = JSON.parse(Buffer.from(text, "base64url").toString()) as Record<string, unknown>;
    const forged = [
      { ...flow, returnTo: "/c/evil/" },
      { ...flow, expires: Number.MAX_SAFE_INTEGER },
      { ...flow, restarted: true },
    ].map((each) => `${base64(each)}.${signature}`);
    for (let at = 0; at < state.length - 1; at += 7) {
      const other = state[at] === "A" ? "B" : "A";
      forged.push(state.slice(0, at) + other + state.slice(at + 1));
    }
    for (const each of forged) {
      back.searchParams.set("state", each);
      const answer = await visitor.get(back.href);
      turnedDown(answer, 400, /has run out/);
      assert.match(answer.text, /href="\/auth\/login\?returnTo=%2F"/);
    }
  });

  it("with a wrong issuer: 503; with the right one it signs in", async () => {
    for (const [iss, status] of [
      ["https://accounts.example.com", 503],
      [fake.issuer, 303],
    ] as const) {
      const visitor = new Visitor();
      const back = await wayBack(base, visitor);
      back.searchParams.set("iss", iss);
      assert.equal((await visitor.get(back.href)).status, status);
    }
  });

  it("sends JSON to clients other than browsers", async () => {
    const json = (path: string) =>
      send(base, { method: "GET", path, headers: [["Accept", "application/json"]] });
    refused(await json("/auth/callback"), 400, "INVALID_BODY");
    refused(await json("/auth/callback?code=a&state=b"), 400, "INVALID_BODY");
    fake.claims = { email_verified: false };
    const visitor = new Visitor();
    const back = await wayBack(base, visitor);
    const answer = await send(base, {
      method: "GET",
      path: back.pathname + back.search,
      headers: [["Cookie", `easel_login=${visitor.cookie(base, "easel_login")}`]],
    });
    refused(answer, 403, "PERMISSION_DENIED");
  });

  it("finds the binding among other cookies, and ignores a malformed one", async () => {
    const visitor = new Visitor();
    const back = await wayBack(base, visitor);
    const binding = visitor.cookie(base, "easel_login");
    const path = back.pathname + back.search;
    for (const [cookie, status] of [
      ["easel_login=", 400],
      [`easel_login="${binding}"`, 400],
      [`easel_login=${binding}A`, 400],
      [`__Host-easel_login=${binding}`, 400],
      [`a=b; easel_login=${"A".repeat(43)}; easel_login=${binding}`, 303],
    ] as const) {
      const answer = await send(base, {
        method: "GET",
        path,
        headers: [
          ["Accept", "text/html"],
          ["Cookie", cookie],
        ],
      });
      assert.equal(answer.status, status, cookie);
    }
  });
});

describe("returnTo", () => {
  async function landsAtHome(returnTo: string): Promise<void> {
    const answer = await signIn(base, new Visitor(), returnTo);
    assert.equal(answer.status, 303, answer.text);
    const location = answer.headers.location ?? "";
    assert.equal(
      new URL(location, `${base}/auth/callback`).origin,
      base,
      `${JSON.stringify(returnTo)}: ${location}`,
    );
    assert.match(location, /^\/(?![/\\])/);
  }

  const ways = [
    "",
    "//example.com",
    "/\\example.com",
    "\\\\example.com",
    "/\t/example.com",
    "https:example.com",
  ];
  const others = ["/.//example.com", "javascript:alert(1)", "data:text/html,x", `${base}.example.com/`];
  const near = [
    `${base}@example.com/`,
    base.replace("http", "https"),
    "http://localhost:1/",
    "/%0d%0aLocation:x",
  ];
  for (const returnTo of [...ways, ...others, ...near])
    it(`${JSON.stringify(returnTo)} does not lead to another origin`, () => landsAtHome(returnTo));

  const corpus = samples("redirect");
  it("from a corpus of open redirects never leads to another origin", {
    skip: corpus === null && ABSENT,
  }, async () => {
    const lines = corpus?.flatMap(({ bytes }) => bytes.toString("utf8").split("\n")) ?? [];
    assert.ok(lines.length > 100);
    for (let from = 0; from < lines.length; from += 50)
      await Promise.all(lines.slice(from, from + 50).map(landsAtHome));
  });

  it("the first of two is used; a very long one leads to the home page", async () => {
    const visitor = new Visitor();
    const { headers } = await visitor.get(`${base}/auth/login?returnTo=/c/tea/&returnTo=//example.com`);
    const back = new URL(headers.location ?? "").searchParams;
    const query = new URLSearchParams({ code: back.get("nonce") ?? "", state: back.get("state") ?? "" });
    assert.equal((await visitor.get(`${base}/auth/callback?${query}`)).headers.location, "/c/tea/");
    assert.equal((await signIn(base, visitor, `/${"a".repeat(1999)}`)).headers.location?.length, 2000);
    assert.equal((await signIn(base, visitor, `/${"a".repeat(2000)}`)).headers.location, "/");
  });
});

describe("the log", () => {
  const token = { access_token: "the access token", token_type: "Bearer" };
  const rows: [name: string, said: Partial<typeof fake>, why: RegExp][] = [
    ["another audience", { claims: { aud: "another" } }, /OAUTH_JWT_CLAIM_COMPARISON_FAILED .*aud/],
    ["another nonce", { claims: { nonce: "another" } }, /nonce/],
    ["no verified address", { claims: { email_verified: false } }, /unverified.*fake@example\.com/],
    ["no JWT", { sign: () => "eyJhbGciOiJFUzI1NiJ9.e30" }, /Invalid JWT/],
    [
      "no JSON",
      { answers: { "/token": { status: 200, body: "eyJ fake@example.com" } } },
      /OAUTH_PARSE_ERROR/,
    ],
    [
      "a token of a kind that is unknown",
      { answers: { "/token": { status: 200, body: { ...token, token_type: "eyJ" } } } },
      /token_type/,
    ],
    [
      "a refusal",
      { answers: { "/token": { status: 401, body: { error: "invalid_client", error_description: "eyJ" } } } },
      /invalid_client/,
    ],
    [
      "a failing userinfo endpoint",
      { claims: { email: undefined }, answers: { "/userinfo": { status: 500, body: "eyJ" } } },
      /OAUTH_RESPONSE_IS_NOT_CONFORM/,
    ],
  ];
  for (const [name, said, why] of rows) {
    it(`contains the cause, and no values of the request or response: ${name}`, async (t) => {
      Object.assign(fake, said);
      const warn = t.mock.method(env.log, "warn");
      const visitor = new Visitor();
      const { href, searchParams } = await wayBack(base, visitor);
      assert.notEqual((await visitor.get(href)).status, 303);
      const line = JSON.stringify(warn.mock.calls.map((call) => call.arguments));
      assert.match(line, why);
      const sent = [searchParams.get("code"), searchParams.get("state"), visitor.cookie(base, "easel_login")];
      for (const secret of [...sent, "the access token", "eyJ"])
        assert.ok(!line.includes(String(secret)), line);
    });
  }
});

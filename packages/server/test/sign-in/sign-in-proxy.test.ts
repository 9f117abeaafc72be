import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type Header, send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { FORM, getAs, JSON_TYPE, post, whoAmI } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { PROXY } from "../support/service.ts";
import { answerAttempt, callAs, exchange, newAttempt, openPage } from "./oauth-client.ts";

const email = (value: string): Header => ["X-Auth-Request-Email", value];
const name = (value: string): Header => ["X-Auth-Request-Preferred-Username", value];
/** Returns a header value that is sent in UTF-8, as proxies send it: each of its characters is one byte. */
const utf8 = (value: string) => Buffer.from(value).toString("latin1");

const { target, env } = await startDev({ after }, PROXY);
const { base } = target;

describe("proxy mode", () => {
  it("the headers of a trusted peer are the session, and create the user", async () => {
    const { status, json } = await whoAmI(base, [email("Ada@Example.com"), name("Ada Lovelace")]);
    assert.equal(status, 200);
    assert.deepEqual([json.email, json.name, json.authMode], ["ada@example.com", "Ada Lovelace", "proxy"]);
    assert.equal((await whoAmI(base, [email("ada@example.com")])).json.id, json.id);
    const rows = await env.db.all`select id from users where email = ${"ada@example.com"}`;
    assert.equal(rows.length, 1);
  });

  it("concurrent first requests create one user", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => whoAmI(base, [email("once@example.com")])),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1);
  });

  it("the header's name may be in any case", async () => {
    assert.equal((await whoAmI(base, [["x-auth-request-EMAIL", "case@example.com"]])).status, 200);
  });

  const nobody: [name: string, headers: Header[]][] = [
    ["no header", []],
    ["a name alone", [name("Ada")]],
    ["an empty address", [email("")]],
    ["no address", [email("ada")]],
    ["two addresses in one header", [email("ada@example.com, eve@example.com")]],
    ["the header twice", [email("ada@example.com"), email("eve@example.com")]],
    ["the header twice, the same", [email("ada@example.com"), email("ada@example.com")]],
    [
      "the header twice, in other letters",
      [email("ada@example.com"), ["x-auth-request-email", "eve@example.com"]],
    ],
    [
      "another header",
      [
        ["X-Forwarded-Email", "ada@example.com"],
        ["Remote-User", "ada@example.com"],
      ],
    ],
    ["underscores", [["X_Auth_Request_Email", "ada@example.com"]]],
    ["a bearer token", [["Authorization", "Bearer ada@example.com"]]],
  ];
  for (const [what, headers] of nobody) {
    it(`${what}: 401`, async () => {
      unauthenticated(await whoAmI(base, headers));
    });
  }

  const names: [what: string, sent: Header[], shown: string][] = [
    ["in UTF-8", [name(utf8("Žofia Łukasz 日本"))], "Žofia Łukasz 日本"],
    ["with spaces around it", [name("  Grace  ")], "Grace"],
    ["of 300 characters", [name("n".repeat(300))], "n".repeat(200)],
    ["empty", [name("")], "Names"],
    ["sent twice", [name("One"), name("Two")], "Names"],
    ["absent", [], "Names"],
  ];
  for (const [what, sent, shown] of names) {
    it(`a name ${what}: ${shown.slice(0, 20)}`, async () => {
      await env.db.run`update users set name = ${"Names"} where email = ${"names@example.com"}`;
      assert.equal((await whoAmI(base, [email("names@example.com"), ...sent])).json.name, shown);
    });
  }

  it("an address in UTF-8 is decoded like the name", async () => {
    const { json } = await whoAmI(base, [email(utf8("žofia@example.com"))]);
    assert.equal(json.email, "žofia@example.com");
  });

  it("a deactivated user: 401", async () => {
    await whoAmI(base, [email("gone@example.com")]);
    await env.db.run`update users set deactivated_at = ${Date.now()} where email = ${"gone@example.com"}`;
    unauthenticated(await whoAmI(base, [email("gone@example.com")]));
  });

  it("a session cookie is ignored, even a valid one", async (t) => {
    const { databaseUrl, blobsUrl } = env.config;
    const dev = await startDev(t, { SERVICE_DATABASE_URL: databaseUrl, SERVICE_BLOBS_URL: blobsUrl });
    const person = await dev.target.signIn("cookie@example.com");
    assert.equal((await whoAmI(dev.target.base, person.headers)).status, 200);
    unauthenticated(await whoAmI(base, person.headers));
    const { json } = await whoAmI(base, [...person.headers, email("other@example.com")]);
    assert.equal(json.email, "other@example.com");
  });

  it("the routes of dev mode are 404", async () => {
    const body = '{"email":"ada@example.com"}';
    refused(
      await post(base, "/auth/dev/session", [JSON_TYPE, email("ada@example.com")], body),
      404,
      "NOT_FOUND",
    );
    refused(await post(base, "/auth/login", [FORM], "email=ada@example.com"), 404, "NOT_FOUND");
    refused(await send(base, { method: "GET", path: "/auth/login" }), 404, "NOT_FOUND");
    assert.equal((await post(base, "/auth/logout", [email("ada@example.com")], "")).status, 204);
  });

  it("the home page is 401 without a redirect, for a browser as a page", async () => {
    unauthenticated(await send(base, { method: "GET", path: "/" }));
    const page = await send(base, { method: "GET", path: "/", headers: [["Accept", "text/html"]] });
    assert.equal(page.status, 401);
    assert.match(page.text, /<h1>You are not signed in<\/h1>/);
    assert.equal(
      (await send(base, { method: "GET", path: "/", headers: [email("ada@example.com")] })).status,
      200,
    );
  });

  it("the person whom the proxy asserts lets the command line act; its own requests need no assertion", async () => {
    const attempt = await newAttempt(base);
    assert.equal((await openPage(attempt.url, [])).status, 401);
    const back = await answerAttempt(attempt, [email("terminal@example.com")], "allow");
    const { access_token: token } = (await exchange(attempt, back.searchParams.get("code"))).json;
    const bearer: Header = ["Authorization", `Bearer ${token}`];
    assert.equal((await whoAmI(base, [bearer])).json.email, "terminal@example.com");
    assert.equal((await callAs(base, "/oauth/device_authorization", { host: "a" })).status, 200);
    assert.equal((await callAs(base, "/oauth/revoke", { token: String(token) })).status, 200);
    unauthenticated(await whoAmI(base, [bearer]));
  });

  it("accepts the host names that the proxy forwards", async () => {
    assert.equal((await getAs("canvas.example.com", base, "/healthz")).status, 200);
  });
});

describe("proxy mode, settings", () => {
  const claims: Header[][] = [
    [email("ada@example.com")],
    [email("ada@example.com"), ["X-Forwarded-For", "10.0.0.1"]],
    [email("ada@example.com"), ["X-Real-IP", "10.0.0.1"], ["Forwarded", "for=10.0.0.1"]],
  ];
  it("headers of an untrusted peer are ignored: 401", async (t) => {
    for (const trusted of ["10.0.0.0/8", "127.0.0.2", "::1", "0.0.0.0/32"]) {
      const far = await startDev(t, { ...PROXY, SERVICE_PROXY_TRUSTED_IPS: trusted });
      for (const headers of claims)
        unauthenticated(await whoAmI(far.target.base.replace("localhost", "127.0.0.1"), headers));
    }
  });

  it("SERVICE_PROXY_SECRET: without one of the secrets, headers of a trusted peer are ignored: 401", async (t) => {
    const [old, next] = [
      "the old secret of the proxy - long enough",
      "the next secret of the proxy - long enough",
    ];
    const guarded = await startDev(t, { ...PROXY, SERVICE_PROXY_SECRET: `${old}, ${next}` });
    const secret = (value: string): Header => ["X-Service-Proxy-Secret", value];
    const whose = (...headers: Header[]) =>
      whoAmI(guarded.target.base, [email("ada@example.com"), ...headers]);
    for (const right of [old, next]) assert.equal((await whose(secret(right))).status, 200);
    for (const wrong of ["", "null", old.slice(0, -1), `${old}x`, `${old}, ${next}`, old.toUpperCase()])
      unauthenticated(await whose(secret(wrong)));
    unauthenticated(await whose());
    unauthenticated(await whose(secret(old), secret(old)));
    unauthenticated(await whose(["X_Service_Proxy_Secret", old]));
    assert.deepEqual(await guarded.env.db.all`select count(*) as people from users`, [{ people: 1 }]);
  });

  it("a peer is trusted by its network", async (t) => {
    for (const trusted of ["127.0.0.0/8", "10.0.0.0/8, 127.0.0.1/32"]) {
      const near = await startDev(t, { ...PROXY, SERVICE_PROXY_TRUSTED_IPS: trusted });
      assert.equal((await whoAmI(near.target.base, [email("ada@example.com")])).status, 200, trusted);
    }
  });

  it("SERVICE_ALLOWED_EMAIL_DOMAINS: other domains are refused, and no user is created", async (t) => {
    const closed = await startDev(t, { ...PROXY, SERVICE_ALLOWED_EMAIL_DOMAINS: "example.com" });
    assert.equal((await whoAmI(closed.target.base, [email("ada@EXAMPLE.com")])).status, 200);
    for (const address of ["ada@example.org", "ada@sub.example.com", "ada@example.com.org"]) {
      unauthenticated(await whoAmI(closed.target.base, [email(address)]));
    }
    assert.deepEqual(
      (await closed.env.db.all<{ email: string }>`select email from users`).map((row) => row.email),
      ["ada@example.com"],
    );
  });

  it("the headers have the names of the settings", async (t) => {
    const named = await startDev(t, {
      ...PROXY,
      SERVICE_PROXY_EMAIL_HEADER: "X-Mail",
      SERVICE_PROXY_NAME_HEADER: "X-Called",
    });
    const { json } = await whoAmI(named.target.base, [
      ["X-Mail", "ada@example.com"],
      ["X-Called", "Ada"],
    ]);
    assert.deepEqual([json.email, json.name], ["ada@example.com", "Ada"]);
    unauthenticated(await whoAmI(named.target.base, [email("ada@example.com")]));
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { cookieOf, FORM, getAs, JSON_TYPE, post, signIn } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { startService } from "../support/service.ts";
import { callAs, exchange, failed, newAttempt, openPage, submitTo, ticketOf } from "./oauth-client.ts";

const { target } = await startDev({ after });
const { base } = target;

describe("limits and modes of signing in", () => {
  it("attempts are limited per minute and address: 429 RATE_LIMITED, for any credentials", async (t) => {
    const limited = await startService(t, { SERVICE_RATELIMIT_LOGIN_PER_MIN: "3" });
    const tries: [path: string, type: Header, body: string][] = [
      ["/auth/dev/session", JSON_TYPE, '{"email":"a@example.com"}'],
      ["/auth/login", FORM, "email=a@example.com"],
      ["/auth/dev/session", JSON_TYPE, "{"],
    ];
    for (const [path, type, body] of tries)
      assert.notEqual((await post(limited.base, path, [type], body)).status, 429);
    for (const [path, type, body] of tries) {
      const forwarded: Header[] = [
        ["X-Forwarded-For", "10.1.2.3"],
        ["Forwarded", "for=10.1.2.3"],
      ];
      const answer = await post(limited.base, path, [type, ...forwarded], body);
      refused(answer, 429, "RATE_LIMITED");
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/);
      assert.deepEqual(
        [answer.headers["x-ratelimit-limit"], answer.headers["x-ratelimit-remaining"]],
        ["3", "0"],
      );
      assert.match(String(answer.headers["x-ratelimit-reset"]), /^\d{10}$/);
    }
    assert.equal((await send(limited.base, { method: "GET", path: "/auth/login" })).status, 200);
    for (const path of ["/oauth/device_authorization", "/oauth/revoke"])
      assert.equal((await callAs(limited.base, path, { token: "a" })).status, 200);
  });

  it("requests of programs are counted apart from attempts to sign in, and those of pages not at all", async (t) => {
    const limited = await startService(t, { SERVICE_RATELIMIT_LOGIN_PER_MIN: "3" });
    const call = (path: string, headers: Header[] = []) =>
      post(limited.base, path, [FORM, ...headers], "client_id=easel-cli&token=a");
    const paths = ["/oauth/device_authorization", "/oauth/revoke"];
    for (const path of [...paths, "/oauth/token"])
      for (let n = 0; n < 50; n++)
        refused(await call(path, [["Origin", "https://evil.example"]]), 403, "CROSS_SITE_FORBIDDEN");
    for (const path of paths) {
      for (let n = 0; n < 3; n++) assert.equal((await call(path)).status, 200);
      failed(await call(path), "temporarily_unavailable", 429);
    }
    for (let n = 0; n < 36; n++) failed(await call("/oauth/token"), "invalid_request");
    failed(await call("/oauth/token"), "slow_down", 429);
    await signIn(limited.base, { email: "a@example.com" });
  });

  it("a person's answers to the command line are attempts, too, and guesses of its codes", async (t) => {
    const limited = await startService(t, { SERVICE_RATELIMIT_LOGIN_PER_MIN: "4" });
    const cookie = cookieOf(await signIn(limited.base, { email: "a@example.com" }));
    const attempt = await newAttempt(limited.base);
    const ticket = ticketOf(await openPage(attempt.url, [cookie]));
    const fields = { user_code: "BCDFGHJK", ticket: "" };
    const statuses = [];
    for (let n = 0; n < 4; n++)
      statuses.push((await submitTo(limited.base, "/oauth/device", [cookie], fields)).status);
    assert.deepEqual(statuses, [400, 400, 400, 429]);
    const answer = { ticket, answer: "allow" };
    assert.equal((await submitTo(limited.base, "/oauth/authorize", [cookie], answer)).status, 429);
    assert.deepEqual(await limited.env.db.all`select 1 from oauth_codes`, []);
    for (let n = 0; n < 48; n++) failed(await exchange(attempt, "a"), "invalid_grant");
    failed(await exchange(attempt, "a"), "slow_down", 429);
  });

  it("SERVICE_ALLOWED_EMAIL_DOMAINS: other domains are refused", async (t) => {
    const closed = await startService(t, { SERVICE_ALLOWED_EMAIL_DOMAINS: "example.com, Example.ORG" });
    const sign = async (email: string) =>
      (await post(closed.base, "/auth/dev/session", [JSON_TYPE], JSON.stringify({ email }))).status;
    for (const email of ["a@example.com", "a@EXAMPLE.com", "a@example.org"])
      assert.equal(await sign(email), 204, email);
    const foreign = [
      "a@example.net",
      "a@sub.example.com",
      "a@example.com.evil.net",
      "a@notexample.com",
      "a@com",
    ];
    for (const email of foreign) assert.equal(await sign(email), 400, email);
  });

  for (const host of [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.2",
    "localhost:80:80",
    "0.0.0.0",
    "localhost@x",
  ]) {
    it(`dev mode does not answer for the host \`${host}\`: 421 MISDIRECTED`, async () => {
      for (const path of ["/auth/login", "/api/me", "/healthz", "/c/some-canvas/", "/none"]) {
        refused(await getAs(host, base, path), 421, "MISDIRECTED");
      }
    });
  }

  it("dev mode accepts its own host names in any case", async () => {
    const { port } = new URL(base);
    for (const host of [
      `localhost:${port}`,
      `LOCALHOST:${port}`,
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      "localhost",
    ]) {
      assert.equal((await getAs(host, base, "/healthz")).status, 200, host);
    }
  });
});

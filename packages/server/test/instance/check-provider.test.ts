import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { checkSignIn } from "../../src/commands/checks/provider-checks.ts";
import { readConfig } from "../../src/config/config.ts";
import { atEnd, type Scope } from "../support/service.ts";

/** Starts a provider that has only its discovery document. Returns its issuer. */
async function startProvider(scope: Scope, document: object): Promise<string> {
  const server = http.createServer((_request, response) =>
    response.end(JSON.stringify({ issuer, ...document })),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(scope, () => new Promise((done) => server.close(done)));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return issuer;
}

const configOf = (issuer: string, more: Record<string, string> = {}) =>
  readConfig({
    SERVICE_AUTH_MODE: "oidc",
    SERVICE_BASE_URL: "https://easel.example.com",
    SERVICE_SESSION_SECRET: "a secret of the tests that is long enough",
    SERVICE_OIDC_ISSUER: issuer,
    SERVICE_OIDC_CLIENT_ID: "easel",
    SERVICE_ALLOWED_EMAIL_DOMAINS: "acme.test",
    ...more,
  });

describe("the check of a provider", () => {
  const ORIGIN = "https://easel.example.com";

  test("names the redirect URI to register", async (t) => {
    const rows = await checkSignIn(configOf(await startProvider(t, {})), ORIGIN);
    assert.deepEqual(
      rows.map(({ state }) => state),
      ["ok"],
    );
    assert.match(rows[0]?.message ?? "", /https:\/\/easel\.example\.com\/auth\/callback/);
  });

  test("warns of a provider that does not say which addresses are verified, unless that is allowed", async (t) => {
    const issuer = await startProvider(t, { claims_supported: ["sub", "email"] });
    const [, warning] = await checkSignIn(configOf(issuer), ORIGIN);
    assert.equal(warning?.state, "warning");
    assert.match(warning?.message ?? "", /SERVICE_OIDC_EMAIL_VERIFIED/);
    const allowed = configOf(issuer, { SERVICE_OIDC_EMAIL_VERIFIED: "if_present" });
    assert.deepEqual(
      (await checkSignIn(allowed, ORIGIN)).map(({ state }) => state),
      ["ok"],
    );
  });

  test("warns if everybody of the provider may sign in", async (t) => {
    const config = configOf(await startProvider(t, {}), { SERVICE_ALLOWED_EMAIL_DOMAINS: "" });
    const rows = await checkSignIn(config, ORIGIN);
    assert.ok(
      rows.some(({ state, message }) => state === "warning" && /SERVICE_ALLOWED_EMAIL_DOMAINS/.test(message)),
    );
  });

  test("fails for another issuer, and for a provider that does not answer", async (t) => {
    const issuer = await startProvider(t, { issuer: "https://other.example" });
    const [other] = await checkSignIn(configOf(issuer), ORIGIN);
    assert.equal(other?.state, "failed");
    assert.match(other?.message ?? "", /https:\/\/other\.example/);
    const [silent] = await checkSignIn(configOf("http://127.0.0.1:9"), ORIGIN);
    assert.equal(silent?.state, "failed");
  });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type TestContext, test } from "node:test";
import type { Header } from "@easel/conformance/http";
import { baseOf } from "../../src/config/addresses.ts";
import { HTTPS } from "../support/https.ts";
import { PROXY, startService } from "../support/service.ts";

const FORWARDED: Header = ["X-Forwarded-For", "192.0.2.1"];
const ADA: Header = ["X-Auth-Request-Email", "ada@example.com"];
const SECRET = "a secret of the proxy that is long enough";

/** Starts a service for https://easel.example. Returns a function that sends requests and returns what was logged during them. */
async function start(t: TestContext, settings: Record<string, string>) {
  const { base, env } = await startService(t, { ...PROXY, SERVICE_URL_MODE: "subdomain", ...settings });
  env.base = baseOf({ ...env.config, baseUrl: HTTPS }, 0);
  const warn = t.mock.method(env.log, "warn", () => {});
  return async (...requests: Header[][]) => {
    warn.mock.resetCalls();
    for (const headers of requests) {
      const asked = request(`${base}/api/me`, { headers: headers.flat() }).end();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      await once(answer.resume(), "end");
    }
    return warn.mock.calls.map((call) => String(call.arguments[0]));
  };
}

const host = (name: string): Header => ["Host", name];
const OWN = host("easel.example");

test("a proxy that replaces Host is told once what to set", async (t) => {
  const said = await start(t, {});
  const local = host("127.0.0.1:3000");
  assert.deepEqual(await said([OWN, FORWARDED], [local], [host("tea.easel.example"), FORWARDED]), []);
  const lines = await said([local, FORWARDED], [local, FORWARDED], [host("localhost"), FORWARDED]);
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? "",
    /does not pass on Host: .* 127\.0\.0\.1:3000 instead of easel\.example\..*proxy_set_header/,
  );
});

test("a proxy whose address is not listed is told once which setting to change", async (t) => {
  const said = await start(t, { SERVICE_PROXY_TRUSTED_IPS: "10.0.0.5" });
  assert.deepEqual(await said([OWN]), []);
  const lines = await said([OWN, FORWARDED], [OWN, FORWARDED]);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /from (::ffff:)?(127\.0\.0\.1|::1) .*add it to SERVICE_PROXY_TRUSTED_IPS/);
});

test("a proxy that does not send the secret is told once, without the secret", async (t) => {
  const said = await start(t, { SERVICE_PROXY_SECRET: SECRET });
  assert.deepEqual(await said([OWN, FORWARDED], [OWN, ADA, ["X-Service-Proxy-Secret", SECRET]]), []);
  const lines = await said([OWN, ADA], [OWN, ADA, ["X-Service-Proxy-Secret", "wrong"]]);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /X-Auth-Request-Email without the secret.*send .* in X-Service-Proxy-Secret/);
  assert.ok(!lines[0]?.includes(SECRET));
});

test("in dev mode nothing is told: there is no proxy", async (t) => {
  const said = await start(t, { SERVICE_AUTH_MODE: "dev" });
  assert.deepEqual(await said([host("localhost:1"), FORWARDED]), []);
});

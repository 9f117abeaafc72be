import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { parseEnv } from "node:util";
import { NotReady, preflight } from "@easel/conformance/preflight";
import { ROOT } from "../areas.ts";
import { NAMED, PROXY, startService } from "../support/service.ts";

/** Runs the preflight. Returns the message with which it fails, or "" if the service is ready. */
async function faultOf(environment: Record<string, string>): Promise<string> {
  try {
    await preflight(environment);
    return "";
  } catch (error) {
    assert.ok(error instanceof NotReady, String(error));
    return error.message;
  }
}

/** Finds the first command in a message that sets variables for `npm start`. Returns these variables. */
function settingsIn(message: string) {
  const words = message.slice(0, message.indexOf("npm start")).trim().split(/\s/);
  const settings = words.slice(words.findLastIndex((word) => !word.includes("=")) + 1);
  return parseEnv(settings.join("\n")) as Record<string, string>;
}

test("a service as `npm start` starts it: the settings that the tests need, which are enough", async (t) => {
  const { base } = await startService(t);
  const message = await faultOf({ BASE_URL: base });
  assert.match(message, /limits requests/);
  const { base: ready, env } = await startService(t, settingsIn(message));
  const { target, authoring } = await preflight({ BASE_URL: ready });
  assert.deepEqual([target.urlMode, target.authMode, authoring], ["path", "dev", true]);
  assert.deepEqual(await env.db.all`select slug from canvases where deleted_at is null`, []);
});

test("with RATE_LIMITED=1: the settings of the tests of rate limits, which are enough", async (t) => {
  const { base } = await startService(t);
  const message = await faultOf({ BASE_URL: base, RATE_LIMITED: "1" });
  assert.match(message, /20 sign-ins a minute/);
  const { base: ready } = await startService(t, settingsIn(message));
  assert.equal((await preflight({ BASE_URL: ready, RATE_LIMITED: "1" })).target.rateLimited, true);
});

test("subdomain mode is found out, and so is the limit of publishes", async (t) => {
  const settings = { SERVICE_URL_MODE: "subdomain", SERVICE_RATELIMIT_ENABLED: "off" };
  const { base, env } = await startService(t, settings, NAMED);
  assert.match(await faultOf({ BASE_URL: base }), /messages of a connection/);
  assert.match(await faultOf({ BASE_URL: base, URL_MODE: "path" }), /URL mode subdomain/);
  assert.match(await faultOf({ BASE_URL: base, RATE_LIMITED: "1" }), /limits nothing/);
  assert.match(
    await faultOf({ BASE_URL: base.replace(NAMED, "localhost") }),
    /calls itself|answer for the host/,
  );
  env.config.publishesPerMinute = 1_000_000;
  const { target, authoring, leftOut } = await preflight({ BASE_URL: base });
  assert.deepEqual([target.urlMode, authoring], ["subdomain", false]);
  assert.match(leftOut.join(), /SERVICE_AUTHORING=on.*AI_PROVIDER.*UPSTREAM/);
  assert.match(await faultOf({ BASE_URL: base, AUTHORING: "1" }), /SERVICE_AUTHORING is off/);
});

test("proxy mode is found out, and an administrator is needed", async (t) => {
  const { base } = await startService(t, {
    ...PROXY,
    SERVICE_RATELIMIT_ENABLED: "off",
    SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000",
    SERVICE_ADMIN_EMAILS: "ada@example.com",
  });
  assert.match(await faultOf({ BASE_URL: base }), /dev@example.com is no administrator/);
  assert.match(await faultOf({ BASE_URL: base, AUTH_MODE: "dev" }), /sign-in mode proxy/);
  const { target } = await preflight({ BASE_URL: base, ADMIN_EMAIL: "ada@example.com" });
  assert.equal(target.authMode, "proxy");
});

test("the command prints one message and exits with 1 where nothing answers", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(ROOT, "packages/conformance/src/run.ts")],
    {
      env: { ...process.env, BASE_URL: "http://127.0.0.1:9", NODE_TEST_CONTEXT: undefined },
      encoding: "utf8",
    },
  );
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, /^Nothing answers at http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\)\. .*\n.* npm start\n$/);
});

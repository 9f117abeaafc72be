import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { before, type TestContext, test } from "node:test";
import { devTarget, type Person } from "@easel/conformance/target";
import type { Env } from "@easel/server";
import { submitTo, ticketOf } from "../../server/test/sign-in/oauth-client.ts";
import { fileScope, startService } from "../../server/test/support/service.ts";
import { hasBrowser } from "../src/account/browser.ts";
import { easel } from "./support/easel.ts";
import { ADDRESS, fileOf, logIn, newHome, storedBy, submitAnswer } from "./support/login.ts";

const scope = fileScope();
let base: string;
let service: Env;
let ada: Person;
before(async () => {
  ({ base, env: service } = await startService(scope, { SERVICE_RATELIMIT_ENABLED: "false" }));
  ada = await devTarget(base, "path").signIn("ada@example.com", "Ada");
});

const tokens = () =>
  service.db.all<{ name: string; scope: string }>`select name, scope from tokens order by id`;

test("login by the browser stores a token that works, whoami shows it, logout ends it", async (t) => {
  const home = await newHome(t);
  const { code, stdout, stderr } = await logIn(home, [base], ADDRESS, submitAnswer(ada, "allow"));
  assert.deepEqual([code, stdout], [0, ""], stderr);
  assert.match(stderr, /You are signed in at http:\S+ as ada@example.com\. The sign-in ends in 90 days\./);
  const modes = await Promise.all([fileOf(home), home.EASEL_CONFIG_DIR].map((each) => stat(each)));
  assert.deepEqual(
    modes.map(({ mode }) => (mode & 0o777).toString(8)),
    ["600", "700"],
  );
  assert.deepEqual(await readdir(home.EASEL_CONFIG_DIR), ["credentials.json"]);

  const who = await easel(["whoami"], { env: home });
  assert.match(
    who.stdout,
    /^person {3}Ada <ada@example.com>\nservice {2}http:\S+\nscope {4}full, every canvas\nends {5}in /,
  );
  const { source, ...shown } = JSON.parse((await easel(["whoami", "--json"], { env: home })).stdout);
  assert.deepEqual([shown.url, shown.email, shown.scope, source], [base, ada.email, "full", fileOf(home)]);

  const { token } = (await storedBy(home)).services[base];
  assert.equal((await easel(["logout"], { env: home })).code, 0);
  assert.deepEqual(await storedBy(home), { last: null, services: {} });
  const me = await fetch(`${base}/api/me`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(me.status, 401);
  const twice = await easel(["logout", base], { env: home });
  assert.equal(twice.code, 3, twice.stderr);
});

test("login again ends the former token, and may have another scope", async (t) => {
  const home = await newHome(t);
  const known = (await tokens()).length;
  await logIn(home, [base], ADDRESS, submitAnswer(ada, "allow"));
  const again = await logIn(home, ["--scope", "deploy", "--json"], ADDRESS, submitAnswer(ada, "allow"));
  const { expiresAt, ...result } = JSON.parse(again.stdout);
  assert.deepEqual(result, { url: base, email: ada.email, scope: "deploy" });
  assert.match(expiresAt, /^\d{4}-\d\d-\d\dT/);
  const made = (await tokens()).slice(known);
  assert.deepEqual(
    made.map((each) => each.scope),
    ["deploy"],
  );
});

test("a denied sign-in stores nothing", async (t) => {
  const home = await newHome(t);
  const { code, stderr } = await logIn(home, [base], ADDRESS, submitAnswer(ada, "deny"));
  assert.equal(code, 1);
  assert.match(stderr, /You have not allowed the sign-in/);
  assert.equal(existsSync(fileOf(home)), false);
});

/** Replaces the interval at which the service asks to be polled during a sign-in by code. */
function pollEvery(t: TestContext, milliseconds: number): void {
  const { fetch: send } = globalThis;
  t.mock.method(globalThis, "fetch", async (...request: Parameters<typeof fetch>) => {
    const response = await send(...request);
    if (!String(request[0]).endsWith("/oauth/device_authorization")) return response;
    return Response.json({ ...((await response.json()) as object), interval: milliseconds / 1000 });
  });
}

const BY_CODE: [name: string, args: string[], isTerminal: boolean][] = [
  ["without a browser", ["--no-browser"], true],
  ["without a terminal", [], false],
];

for (const [name, args, isTerminal] of BY_CODE)
  test(`login by a code, ${name}`, async (t) => {
    const home = await newHome(t);
    pollEvery(t, 100);
    const outcome = await logIn(
      home,
      [base, ...args],
      /(http:\S+\/oauth\/device)\n[\s\S]*enter the code (\S+)\n/,
      async ([, , user_code = ""]) => {
        const question = await submitTo(base, "/oauth/device", ada.headers, { user_code });
        await submitTo(base, "/oauth/device", ada.headers, { ticket: ticketOf(question), answer: "allow" });
      },
      isTerminal,
    );
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal((await storedBy(home)).services[base].email, ada.email);
  });

test("Ctrl-C ends the wait for the browser and for the code at once", async (t) => {
  const home = await newHome(t);
  const INTERVAL_MS = 4_500;
  pollEvery(t, INTERVAL_MS);
  // The interval never passes, so a wait that observes the signal only between two polls never ends.
  const { setTimeout: wait } = globalThis;
  t.mock.method(globalThis, "setTimeout", (...[callback, ms]: Parameters<typeof wait>) =>
    wait(ms === INTERVAL_MS ? () => {} : callback, ms),
  );
  for (const options of [[], ["--no-browser"]]) {
    const interruption = new AbortController();
    const { code, stderr } = await easel(["login", base, ...options], {
      env: home,
      isTerminal: true,
      signal: interruption.signal,
      onStderr: (text) => {
        // The message is printed just before the wait begins.
        if (text.includes("Waiting for the"))
          setImmediate(() => interruption.abort(new Error("Interrupted.")));
      },
    });
    assert.equal(code, 130, stderr);
  }
  assert.equal(existsSync(fileOf(home)), false);
});

test("in CI nobody is asked: exit code 2, and EASEL_TOKEN is named", async (t) => {
  const env = { ...(await newHome(t)), CI: "true" };
  const { code, stderr } = await easel(["login", base], { env, isTerminal: true });
  assert.equal(code, 2);
  assert.match(stderr, /EASEL_TOKEN/);
});

test("a browser is expected where there is a desktop", () => {
  const rows: [env: Record<string, string>, platform: NodeJS.Platform, expected: boolean][] = [
    [{}, "linux", false],
    [{ SSH_CONNECTION: "a", DISPLAY: ":0" }, "linux", false],
    [{ SSH_TTY: "/dev/pts/0" }, "darwin", false],
    [{ BROWSER: "firefox", SSH_TTY: "/dev/pts/0" }, "linux", true],
    [{ BROWSER: "none" }, "darwin", false],
  ];
  for (const [env, platform, expected] of rows) assert.equal(hasBrowser({ env }, platform), expected);
});

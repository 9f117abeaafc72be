import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { before, test } from "node:test";
import { devTarget, type Person } from "@easel/conformance/target";
import type { Env } from "../../server/src/env.ts";
import { answerAttempt, submitTo, ticketOf } from "../../server/test/sign-in/oauth-client.ts";
import { atEnd, fileScope, startService, temporaryDirectory } from "../../server/test/support/service.ts";
import { startTls } from "../../server/test/support/tls.ts";
import { hasBrowser } from "../src/account/browser.ts";
import { easel, type Outcome, signedIn } from "./support/easel.ts";

/** The program that `easel` starts instead of a browser. It does nothing. */
const BROWSER = "/bin/true";

const scope = fileScope();
let base: string;
let service: Env;
let ada: Person;
before(async () => {
  ({ base, env: service } = await startService(scope, { SERVICE_RATELIMIT_ENABLED: "false" }));
  ada = await devTarget(base, "path").signIn("ada@example.com", "Ada");
});

/** Returns the environment variables of a person who has no stored sign-ins. */
const newHome = async (t: { after(end: () => Promise<unknown>): void }) => ({
  EASEL_CONFIG_DIR: path.join(await temporaryDirectory(t), "easel"),
  BROWSER,
});
type Home = Awaited<ReturnType<typeof newHome>>;

const fileOf = ({ EASEL_CONFIG_DIR }: Home) => path.join(EASEL_CONFIG_DIR, "credentials.json");
const storedBy = async (home: Home) => JSON.parse(await readFile(fileOf(home), "utf8"));
const tokens = () =>
  service.db.all<{ name: string; scope: string }>`select name, scope from tokens order by id`;

/** Runs `easel login`, and calls `act` with the first match of `pattern` in stderr. */
function logIn(
  home: Home,
  args: string[],
  pattern: RegExp,
  act: (match: RegExpExecArray) => Promise<unknown> | unknown,
): Promise<Outcome> {
  let acting: Promise<unknown> | undefined;
  const onStderr = (text: string) => {
    const match = pattern.exec(text);
    if (match !== null) acting ??= Promise.resolve(act(match));
  };
  return easel(["login", ...args], { env: home, isTerminal: true, onStderr }).finally(() => acting);
}

const ADDRESS = /(http:\/\/\S+\/oauth\/authorize\S+)\n/;
/** Returns a function that submits an answer on the consent page, and follows the redirect to the program. */
const submitAnswer =
  (answer: string) =>
  async ([address = ""]: RegExpExecArray) => {
    const attempt = { url: new URL(address.trim()), verifier: "", state: "" };
    const back = await answerAttempt(attempt, ada.headers, answer);
    // A callback with a wrong `state` is rejected, so guessing the port is not enough.
    assert.equal((await fetch(new URL("/callback?code=a&state=b", back))).status, 404);
    const page = await fetch(back);
    assert.match(await page.text(), answer === "allow" ? /You are signed in/ : /Not signed in/);
  };

test("login by the browser stores a token that works, whoami shows it, logout ends it", async (t) => {
  const home = await newHome(t);
  const { code, stdout, stderr } = await logIn(home, [base], ADDRESS, submitAnswer("allow"));
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
  await logIn(home, [base], ADDRESS, submitAnswer("allow"));
  const again = await logIn(home, ["--scope", "deploy", "--json"], ADDRESS, submitAnswer("allow"));
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
  const { code, stderr } = await logIn(home, [base], ADDRESS, submitAnswer("deny"));
  assert.equal(code, 1);
  assert.match(stderr, /You have not allowed the sign-in/);
  assert.equal(existsSync(fileOf(home)), false);
});

test("login by a code, without a browser", async (t) => {
  const home = await newHome(t);
  // Replaces the polling interval of 5 s that the service asks for.
  const { fetch: send } = globalThis;
  t.mock.method(globalThis, "fetch", async (...request: Parameters<typeof fetch>) => {
    const response = await send(...request);
    if (!String(request[0]).endsWith("/oauth/device_authorization")) return response;
    return Response.json({ ...((await response.json()) as object), interval: 0.1 });
  });
  const outcome = await logIn(
    home,
    [base, "--no-browser"],
    /(http:\S+\/oauth\/device)\n[\s\S]*enter the code (\S+)\n/,
    async ([, , user_code = ""]) => {
      const question = await submitTo(base, "/oauth/device", ada.headers, { user_code });
      await submitTo(base, "/oauth/device", ada.headers, { ticket: ticketOf(question), answer: "allow" });
    },
  );
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.equal((await storedBy(home)).services[base].email, ada.email);
});

test("Ctrl-C ends the wait for the browser and for the code at once", async (t) => {
  const home = await newHome(t);
  // Time stands still, so a wait that observes the signal only after a delay never ends.
  t.mock.timers.enable({ apis: ["setTimeout"] });
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

test("without a terminal nothing is asked: exit code 2, and EASEL_TOKEN is named", async (t) => {
  const home = await newHome(t);
  for (const options of [{}, { isTerminal: true, env: { ...home, CI: "true" } }]) {
    const { code, stderr } = await easel(["login", base], { env: home, ...options });
    assert.equal(code, 2);
    assert.match(stderr, /EASEL_TOKEN/);
  }
});

/** Starts an HTTP server that is not an Easel service. */
async function startOther(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(scope, async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns an address at which nothing listens any more. */
async function closedAddress(): Promise<string> {
  const server = http.createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

test("addresses that do not belong to an Easel service", async (t) => {
  const home = await newHome(t);
  const metadata = async () => (await fetch(`${base}/.well-known/oauth-authorization-server`)).json();
  const page = await startOther((_request, response) => response.end("<!doctype html>"));
  const missing = await startOther((_request, response) => response.writeHead(404).end("none"));
  const proxy = await startOther((_request, response) =>
    response.writeHead(302, { location: "https://login.example.com/" }).end(),
  );
  const none = await startOther((_request, response) =>
    response.writeHead(404).end('{"code":"NOT_FOUND","message":"This service accepts no access tokens."}'),
  );
  const thief: string = await startOther(async (_request, response) =>
    response.end(JSON.stringify({ ...((await metadata()) as object), issuer: thief })),
  );
  const renamed = await startOther(async (_request, response) =>
    response.end(JSON.stringify(await metadata())),
  );
  const rows: [url: string, code: number, says: RegExp][] = [
    [page, 1, /is not an Easel service/],
    [missing, 1, /is not an Easel service/],
    [thief, 1, /is not an Easel service/],
    [renamed, 2, /has the address http:\/\/localhost/],
    [proxy, 3, /asks for a sign-in before the service is reached/],
    [none, 4, /accepts no access tokens/],
    [await closedAddress(), 6, /nothing listens there/],
    [
      `https://localhost:${await startTls(t, Number(new URL(base).port))}`,
      6,
      /its certificate is self-signed; set NODE_EXTRA_CA_CERTS/,
    ],
    ["http://easel.example.com", 2, /not encrypted/],
    ["ftp://easel.example.com", 2, /is not the URL of a service/],
    ["https://ada@easel.example.com", 2, /is not the URL of a service/],
    ["", 2, /is not the URL of a service|No service is known/],
  ];
  for (const [url, expected, says] of rows) {
    const { code, stderr } = await easel(["login", url], { env: home, isTerminal: true });
    assert.deepEqual([url, code], [url, expected], stderr);
    assert.match(stderr, says);
  }
  assert.equal(existsSync(fileOf(home)), false);
});

test("credentials: several services, wide rights are tightened, damaged files are named", async (t) => {
  const home = await newHome(t);
  const entry = { token: "easel_pat_a", email: "ada@example.com", expiresAt: null };
  const good = { last: "https://a.example.com", services: { "https://a.example.com": entry, [base]: entry } };
  await mkdir(home.EASEL_CONFIG_DIR, { mode: 0o755 });
  await writeFile(fileOf(home), JSON.stringify(good), { mode: 0o644 });
  await chmod(fileOf(home), 0o644);
  const expired = await easel(["whoami", "--url", base], { env: home });
  assert.equal(expired.code, 3, expired.stderr);
  assert.equal((await stat(fileOf(home))).mode & 0o777, 0o600);
  await logIn(home, [base], ADDRESS, submitAnswer("allow"));
  const { last, services } = await storedBy(home);
  assert.deepEqual([last, Object.keys(services).length], [base, 2]);
  await easel(["logout"], { env: home });
  assert.equal((await storedBy(home)).last, "https://a.example.com");

  const text = JSON.stringify(good);
  for (const damaged of [
    "",
    "{",
    text.slice(0, -3),
    "[]",
    '{"version":9}',
    text.replace("easel_pat_a", "a\\nb"),
  ]) {
    await writeFile(fileOf(home), damaged);
    const { code, stderr } = await easel(["whoami", "--url", base], { env: home });
    assert.equal(code, 1);
    assert.match(stderr, /credentials\.json is damaged[\s\S]*easel login/);
  }
});

test("logout removes the token although the service cannot be reached, and says so", async (t) => {
  const home = await newHome(t);
  const url = await closedAddress();
  await mkdir(home.EASEL_CONFIG_DIR);
  const services = { [url]: { token: "easel_pat_a", email: "ada@example.com", expiresAt: null } };
  await writeFile(fileOf(home), JSON.stringify({ last: url, services }), { mode: 0o600 });
  const { code, stderr, stdout } = await easel(["logout", "--json"], { env: home });
  assert.equal(code, 0);
  assert.match(stderr, /cannot be reached[\s\S]*stays valid/);
  assert.deepEqual(JSON.parse(stdout), { url, ended: false });
  assert.deepEqual(await storedBy(home), { last: null, services: {} });
});

test("EASEL_TOKEN comes before the stored sign-in, with a line break at its end, too", async (t) => {
  const home = await newHome(t);
  const env = await signedIn(base, service, "ci@example.com");
  const { stdout } = await easel(["whoami", "--json"], {
    env: { ...home, ...env, EASEL_TOKEN: `${env.EASEL_TOKEN}\n` },
  });
  const { email, source, scope: may } = JSON.parse(stdout);
  assert.deepEqual([email, source, may], ["ci@example.com", "EASEL_TOKEN", "full"]);
  for (const token of ["a b", "a\nb", "\u00e4"]) {
    const { code, stderr } = await easel(["whoami"], {
      env: { ...home, EASEL_URL: base, EASEL_TOKEN: token },
    });
    assert.equal(code, 2);
    assert.match(stderr, /EASEL_TOKEN holds no token/);
  }
  const none = await easel(["whoami"], { env: { ...home, EASEL_URL: base } });
  assert.equal(none.code, 3);
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

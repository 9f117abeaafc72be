import assert from "node:assert/strict";
import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { before, test } from "node:test";
import { closedPort } from "@easel/conformance/closed-port";
import { devTarget, type Person } from "@easel/conformance/target";
import type { Env } from "@easel/server";
import { fileScope, startService } from "../../server/test/support/service.ts";
import { easel, signedIn } from "./support/easel.ts";
import { ADDRESS, fileOf, logIn, newHome, storedBy, submitAnswer } from "./support/login.ts";

const scope = fileScope();
let base: string;
let service: Env;
let ada: Person;
before(async () => {
  ({ base, env: service } = await startService(scope, { SERVICE_RATELIMIT_ENABLED: "false" }));
  ada = await devTarget(base, "path").signIn("ada@example.com", "Ada");
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
  await logIn(home, [base], ADDRESS, submitAnswer(ada, "allow"));
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
  const url = `http://127.0.0.1:${await closedPort()}`;
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

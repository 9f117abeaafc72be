import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import type { Person, Target } from "@easel/conformance/target";
import { type Config, sessionSecrets } from "../../src/config/config.ts";
import { HandOver, jar } from "../sign-in/hand-over.ts";
import { FORM } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import { type Scope, temporaryDirectory } from "../support/service.ts";

const OLD = "the old secret that has 32 bytes and more";
const NEW = "the new secret that has 32 bytes and more";
const PASSWORD = "open, sesame";
const SOURCE = path.join(import.meta.dirname, "../../src/config/config.ts");

const configOf = (dataDir: string, sessionSecret: string[] | null = null) =>
  ({ dataDir, sessionSecret }) as Config;
const fileIn = (directory: string) => path.join(directory, "session-secret");

/** Returns the secret that another process reads. */
async function elsewhere(directory: string): Promise<string> {
  const script = `import { sessionSecrets } from ${JSON.stringify(SOURCE)};
    process.stdout.write((await sessionSecrets(${JSON.stringify(configOf(directory))})).join());`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return said;
}

/** Starts a service, runs `work` with it, and stops it. */
async function running<Result>(settings: Record<string, string>, work: (target: Target) => Promise<Result>) {
  const ends: (() => Promise<unknown>)[] = [];
  const scope: Scope = { after: (end) => void ends.push(end) };
  try {
    return await work((await startDev(scope, settings)).target);
  } finally {
    for (const end of ends) await end();
  }
}

/** Enters the password of a canvas as a person. Returns the cookie that the person gets for it. */
async function gateCookie({ base }: Target, slug: string, { headers }: Person): Promise<string> {
  const answer = await send(base, {
    method: "POST",
    path: `/c/${slug}/__gate`,
    headers: [...headers, FORM],
    body: new URLSearchParams({ password: PASSWORD }).toString(),
  });
  assert.equal(answer.status, 303, answer.text);
  return answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

test("the secret is generated once, in a private file, and no other file is left", async (t) => {
  const directory = path.join(await temporaryDirectory(t), "data");
  const secrets = await sessionSecrets(configOf(directory));
  assert.equal(secrets.length, 1);
  assert.match(secrets[0] ?? "", /^[\w-]{43}$/);
  assert.deepEqual(await readdir(directory), ["session-secret"]);
  assert.equal((await stat(fileIn(directory))).mode & 0o777, 0o600);
  assert.equal((await stat(directory)).mode & 0o777, 0o700);
  assert.equal(await readFile(fileIn(directory), "utf8"), secrets[0]);
  for (let times = 0; times < 3; times++)
    assert.deepEqual(await sessionSecrets(configOf(directory)), secrets);
});

test("another data directory gets another secret", async (t) => {
  const [one, two] = [await temporaryDirectory(t), await temporaryDirectory(t)];
  assert.notDeepEqual(await sessionSecrets(configOf(one)), await sessionSecrets(configOf(two)));
});

test("concurrent calls return the same secret", async (t) => {
  const directory = await temporaryDirectory(t);
  const all = await Promise.all(Array.from({ length: 20 }, () => sessionSecrets(configOf(directory))));
  assert.equal(new Set(all.map(([secret]) => secret)).size, 1);
  assert.deepEqual(await readdir(directory), ["session-secret"]);
});

test("concurrent processes get the same secret", async (t) => {
  const directory = path.join(await temporaryDirectory(t), "data");
  const all = await Promise.all(Array.from({ length: 4 }, () => elsewhere(directory)));
  assert.match(all[0] ?? "", /^[\w-]{43}$/);
  assert.equal(new Set(all).size, 1, all.join(" "));
  assert.deepEqual(await sessionSecrets(configOf(directory)), [all[0]]);
  assert.deepEqual(await readdir(directory), ["session-secret"]);
});

for (const [name, content] of [
  ["empty", ""],
  ["cut short", "a".repeat(31)],
] as const) {
  test(`a file that is ${name} is refused: the error names it, and it is kept`, async (t) => {
    const directory = await temporaryDirectory(t);
    await writeFile(fileIn(directory), content);
    await assert.rejects(sessionSecrets(configOf(directory)), (error: Error) => {
      assert.ok(error.message.includes(fileIn(directory)));
      return content === "" || !error.message.includes(content);
    });
    assert.equal(await readFile(fileIn(directory), "utf8"), content);
    await assert.rejects(
      running({ SERVICE_DATA_DIR: directory }, async () => {}),
      /session-secret/,
    );
  });
}

test("a directory in its place is refused", async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(fileIn(directory));
  await assert.rejects(sessionSecrets(configOf(directory)), { code: "EISDIR" });
});

test("secrets of the settings are used unchanged, and no file is written", async (t) => {
  const directory = await temporaryDirectory(t);
  assert.deepEqual(await sessionSecrets(configOf(directory, [NEW, OLD])), [NEW, OLD]);
  assert.deepEqual(await readdir(directory), []);
  await running({ SERVICE_DATA_DIR: directory, SERVICE_SESSION_SECRET: NEW }, async () => {});
  const left = await readdir(directory);
  assert.ok(left.includes("easel.db") && !left.includes("session-secret"), left.join());
  await writeFile(fileIn(directory), "damaged");
  await running({ SERVICE_DATA_DIR: directory, SERVICE_SESSION_SECRET: NEW }, async () => {});
});

test("a read-only file is accepted", async (t) => {
  const directory = await temporaryDirectory(t);
  const secrets = await sessionSecrets(configOf(directory));
  await chmod(fileIn(directory), 0o400);
  assert.deepEqual(await sessionSecrets(configOf(directory)), secrets);
});

test("cookies outlive a restart", async (t) => {
  const directory = await temporaryDirectory(t);
  const settings = { SERVICE_DATA_DIR: directory };
  const { site, cookie } = await running(settings, async (target) => {
    const made = await stage(target, { terms: { password: PASSWORD } });
    await publish(target, made, { "index.html": "home" });
    return { site: made, cookie: await gateCookie(target, made.slug, made.people.viewer) };
  });
  await running(settings, async ({ base }) => {
    const session = String(site.people.viewer.headers[0]?.[1]);
    const page = (...pairs: string[]) =>
      send(base, { method: "GET", path: `/c/${site.slug}/`, headers: [jar(session, ...pairs)] });
    assert.equal((await page(cookie)).text, "home");
    refused(await page(), 403, "PASSWORD_REQUIRED");
  });
});

test("secrets rotate: signatures of an old one are valid as long as it is listed", async (t) => {
  const directory = await temporaryDirectory(t);
  const at = (secrets: string) => ({
    SERVICE_DATA_DIR: directory,
    SERVICE_SESSION_SECRET: secrets,
    SERVICE_URL_MODE: "subdomain",
  });
  const viewer = await running(at(OLD), async (target) => {
    const site = await stage(target, { terms: { password: PASSWORD } });
    await publish(target, site, { "index.html": "home" });
    return { ...site.people.viewer, slug: site.slug };
  });
  /** Returns new cookies of the canvas host: the one that identifies the viewer, and the one for the password. */
  const cookies = async (target: Target) => {
    const way = new HandOver(target.base);
    const content = await way.through(viewer.slug, viewer.headers);
    const headers: Header[] = [FORM, jar(content)];
    const body = new URLSearchParams({ password: PASSWORD }).toString();
    const answer = await way.at(viewer.slug, "/__gate", headers, "POST", body);
    return [content, answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? ""];
  };
  const opens = async ({ base }: Target, pairs: string[]) => {
    const { status } = await new HandOver(base).at(viewer.slug, "/", [jar(...pairs)]);
    assert.ok([200, 401, 403].includes(status), String(status));
    return status === 200;
  };
  const old = await running(at(OLD), cookies);
  const fresh = await running(at(`${NEW},${OLD}`), async (target) => {
    assert.equal(await opens(target, old), true);
    return cookies(target);
  });
  await running(at(NEW), async (target) => {
    assert.equal(await opens(target, old), false);
    assert.equal(await opens(target, fresh), true);
    const me = await manage(target, viewer, "GET", "/api/me");
    assert.equal(me.status, 200, "sessions are rows, and no secret is needed for them");
  });
});

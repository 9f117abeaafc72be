import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { manage, type Stage, share, stage } from "@easel/conformance/fixture";
import { invite } from "@easel/conformance/guest";
import { call, JSON_TYPE } from "@easel/conformance/page";
import type { Page } from "playwright-core";
import { noFullBrowser, openBrowser } from "../support/browser.ts";
import { tokenOf } from "../support/client.ts";
import { publish } from "../support/publish.ts";
import { enterAs, type Site, startSite } from "../support/site.ts";

const HOSTILE = path.join(import.meta.dirname, "hostile-page.js");
const SECRET = "the plan that nobody else may know";

/** Names of attacks that succeed in path mode, because there canvases share the service's origin (SECURITY.md). */
const SHARED_ORIGIN = ["opens another canvas", "opens a response that is no page"];

/** Tables that may change in an attack: the codes of sign-ins at canvas hosts, which last a minute, and the log of refused calls. */
const CHANGING = ["handovers", "call_log", "call_log_ends"];

/** Returns all rows of the database, except for those of changing tables. */
function everything({ env }: Site): Record<string, unknown[]> {
  const db = new DatabaseSync(env.config.databaseUrl.replace(/^sqlite:/, ""), { readOnly: true });
  const tables = db.prepare("select name from sqlite_master where type = 'table'").all() as {
    name: string;
  }[];
  const rows = tables
    .filter(({ name }) => !CHANGING.includes(name))
    .map(({ name }) => [name, db.prepare(`select * from "${name}"`).all()]);
  db.close();
  return Object.fromEntries(rows);
}

/** Creates the canvas of a victim and the hostile canvas of an attacker. */
async function stageAttack(site: Site): Promise<{ victim: Stage; hostile: Stage; fragment: string }> {
  const { target, env } = site;
  const [victim, hostile, trap] = [await stage(target), await stage(target), await stage(target)];
  await publish(target, victim, { "index.html": SECRET });
  const titled = await manage(target, victim.people.owner, "PATCH", `/api/canvases/${victim.id}`, {
    title: SECRET,
  });
  assert.equal(titled.status, 200, titled.text);
  for (const [key, value] of [
    ["plan", SECRET],
    ["count", 1],
  ]) {
    const put = await call(
      target,
      victim.slug,
      victim.people.owner,
      "PUT",
      `/kv/${key}`,
      [JSON_TYPE],
      JSON.stringify(value),
    );
    assert.equal(put.status, 200, put.text);
  }
  await publish(target, hostile, {
    "index.html": `<!doctype html><title>Hostile</title><body><script src="page.js"></script>`,
    "page.js": await readFile(HOSTILE),
    "worker.js": "",
  });
  await share(target, hostile, "whole_org", {});
  const { url: invitation } = await invite(target, trap);
  const { id, slug } = victim;
  const aim = { base: site.base, id, slug, canvas: env.base.canvasUrl(slug), invitation };
  return { victim, hostile, fragment: `#${encodeURIComponent(JSON.stringify(aim))}` };
}

const whoAmI = (page: Page, { base }: Site) => page.goto(`${base}/api/me`).then((answer) => answer?.json());

for (const mode of ["path", "subdomain"] as const) {
  test(`a hostile canvas reads and changes nothing with the credentials of its visitor, canvases by ${mode}`, {
    skip: noFullBrowser,
  }, async (t) => {
    const site = await startSite(t, mode);
    const { victim, hostile, fragment } = await stageAttack(site);
    const context = await (await openBrowser(t, "full")).newContext();
    await enterAs(context, site, victim.people.owner);
    const page = await context.newPage();
    await page.goto(site.env.base.canvasUrl(victim.slug));
    assert.match(await page.content(), new RegExp(SECRET));
    const home = site.env.base.canvasUrl(hostile.slug);
    await page.goto(home + fragment);

    const before = everything(site);
    const names = await page.evaluate<string[]>("Object.keys(attacks)");
    assert.ok(names.length > 12);
    for (const name of names) {
      if (mode === "path" && SHARED_ORIGIN.includes(name)) continue;
      const read = await page.evaluate<string>(`attacks[${JSON.stringify(name)}]()`);
      assert.ok(!read.includes(SECRET) && !read.includes(victim.id), `${name}: ${read}`);
      for (const [, scope = ""] of read.matchAll(/ controls (\S+) /g))
        assert.ok(scope.startsWith(home), scope);
      assert.deepEqual(everything(site), before, name);
    }
    assert.equal((await whoAmI(page, site)).email, victim.people.owner.email);
  });
}

/** Script that embeds a URL in every way that a page can, and returns what the page can observe. */
const EMBED = `async (url) => {
  const ends = (tag, fields) => new Promise((end) => {
    const element = Object.assign(document.createElement(tag), fields);
    element.onload = () => end(tag + " loads");
    element.onerror = () => end(tag + " fails");
    document.body.append(element);
  });
  return Promise.all([
    ends("script", { src: url }),
    ends("img", { src: url }),
    ends("object", { data: url }),
    ...["stylesheet", "prefetch"].map((rel) => ends("link", { rel, href: url })),
    ends("link", { rel: "preload", as: "fetch", href: url }),
    fetch(url, { mode: "no-cors", credentials: "include" }).then(({ type }) => type, ({ name }) => name),
  ]);
}`;

test("a hostile canvas cannot probe which URLs exist on another canvas of its visitor", {
  skip: noFullBrowser,
}, async (t) => {
  const site = await startSite(t, "subdomain");
  const { victim, hostile, fragment } = await stageAttack(site);
  const context = await (await openBrowser(t, "full")).newContext();
  await enterAs(context, site, victim.people.owner);
  const page = await context.newPage();
  await page.goto(site.env.base.canvasUrl(hostile.slug) + fragment);
  const observed = (path: string) =>
    page.evaluate<string[]>(`(${EMBED})(${JSON.stringify(site.base + path)})`);
  for (const [there, missing] of [
    [`/v1/c/${victim.slug}/kv/plan`, `/v1/c/${victim.slug}/kv/nothing`],
    [`/v1/c/${victim.slug}/me`, "/v1/c/nowhere/me"],
    [`/api/canvases/${victim.id}`, "/api/canvases/none"],
  ] as const)
    assert.deepEqual(await observed(there), await observed(missing), there);
});

/** Opens the browser of a victim with their own canvas in one tab and the hostile canvas in another. */
async function openVictim(t: TestContext, secure: boolean) {
  const site = await startSite(t, "subdomain", { secure });
  const { victim, hostile, fragment } = await stageAttack(site);
  const context = await (await openBrowser(t, "full")).newContext({ ignoreHTTPSErrors: true });
  await enterAs(context, site, victim.people.owner);
  const [own, page, other] = [await context.newPage(), await context.newPage(), await context.newPage()];
  await own.goto(site.env.base.canvasUrl(victim.slug));
  await page.goto(site.env.base.canvasUrl(hostile.slug) + fragment);
  const me = `fetch("${site.base}/v1/c/${victim.slug}/me", { credentials: "include" }).then((answer) => answer.json())`;
  /** Returns the e-mail addresses of the user that the service sees on the base host and on the canvas host; null for nobody. */
  const seenAs = async () => {
    const answers = [await whoAmI(other, site), await own.evaluate<{ email?: string }>(me)];
    return answers.map(({ email = null }) => email);
  };
  const token = tokenOf(hostile.people.owner);
  const toss = () => page.evaluate<string>(`toss("${token}", ${secure})`);
  return { site, email: victim.people.owner.email, page, own, other, toss, seenAs };
}

test("a hostile canvas cannot switch its visitor to another session by setting cookies for the base host", {
  skip: noFullBrowser,
}, async (t) => {
  const { site, email, page, own, other, toss, seenAs } = await openVictim(t, true);
  assert.deepEqual(await seenAs(), [email, email]);
  assert.match(await toss(), /easel_session/);
  assert.deepEqual(await seenAs(), [email, email]);

  assert.ok((await page.evaluate<number>("overflow(300)")) > 1_000);
  await toss();
  assert.deepEqual(await seenAs(), [null, null]);
  await own.reload();
  assert.equal(await own.title(), "Sign in · Easel");

  await own.getByLabel("E-mail address").fill(email);
  await own.getByRole("button", { name: "Sign in", exact: true }).click();
  await own.getByText(SECRET).waitFor();
  assert.deepEqual(await seenAs(), [email, email]);
  await other.goto(`${site.base}/account`);
  await other.getByText(email).waitFor();
});

test("over http a cookie that a hostile canvas sets for the base host signs its visitor out", {
  skip: noFullBrowser,
}, async (t) => {
  const { email, toss, seenAs } = await openVictim(t, false);
  assert.deepEqual(await seenAs(), [email, email]);
  await toss();
  assert.deepEqual(await seenAs(), [null, null]);
});

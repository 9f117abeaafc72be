import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { call } from "@easel/conformance/page";
import { govern } from "@easel/conformance/policy";
import { ROOT } from "../areas.ts";
import { HandOver, jar } from "../sign-in/hand-over.ts";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { enterAs, startSite } from "../support/site.ts";

const PAGE = `<!doctype html><title>Page</title><script src="/sdk/v1.js"></script>`;

for (const mode of ["path", "subdomain"] as const) {
  test(`a folder of a bundle that is named like another canvas belongs to its own canvas, by ${mode}`, {
    skip: noBrowser,
  }, async (t) => {
    const site = await startSite(t, mode);
    const { target, env } = site;
    const other = await stage(target);
    const canvas = await stage(target, { people: other.people });
    await publish(target, canvas, { "index.html": PAGE, [`c/${other.slug}/index.html`]: PAGE });
    const context = await (await openBrowser(t)).newContext();
    await enterAs(context, site, canvas.people.owner);
    const page = await context.newPage();
    await page.goto(`${env.base.canvasUrl(canvas.slug)}c/${other.slug}/`);
    await page.evaluate(`easel.kv.set("written", true)`);
    const { owner } = canvas.people;
    const written = async ({ slug }: Stage) => (await call(target, slug, owner, "GET", "/kv/written")).status;
    assert.deepEqual([await written(canvas), await written(other)], [200, 404]);
  });
}

test("the SDK is the same bytes on the base host and on the hosts of canvases", async (t) => {
  const { target, base } = await startSite(t, "subdomain");
  const canvas = await stage(target);
  const way = new HandOver(target.base, new URL(base).host);
  const { owner } = canvas.people;
  const cookie = jar(await way.through(canvas.slug, owner.headers));
  const answers = [
    await send(base, { method: "GET", path: "/sdk/v1.js", headers: owner.headers }),
    await way.at(canvas.slug, "/sdk/v1.js", [cookie]),
  ];
  const [first, second] = answers.map(({ status, text, headers }) => ({ status, text, etag: headers.etag }));
  assert.equal(first?.status, 200);
  assert.deepEqual(first, second);
});

/**
 * The expected result of each test in sdk-suite.js when the owner of the canvas runs it. Results pass through JSON, so `undefined` in a
 * list becomes null.
 */
const EXPECTED: Record<string, unknown> = {
  me: ["owner", true],
  "kv: set, get, list, increment, delete": [
    { list: [1, null, "ü"] },
    null,
    "mine",
    [1, 3.5],
    [{ key: "a/b c?&#%ü🍵", value: { list: [1, null, "ü"] } }],
    true,
  ],
  "kv: watch": [{ op: "resync" }, { op: "set", key: "w:1", value: 1 }, { op: "delete", key: "w:1" }],
  "collection: create, update, list, rights": [
    true,
    ["Tea", "Coffee"],
    null,
    { own: true, any: true },
    "EaselError PERMISSION_DENIED 403",
    1,
    "NotFoundError NOT_FOUND 404",
  ],
  "collection: increment": [42, "EaselError NOT_NUMERIC 409"],
  people: [true, 1],
  submissions: [null, 1, null],
  files: [300_000, 300_000, true, true, "cup.txt", 1, 0],
  "files: an upload is aborted": "AbortError",
  "realtime: messages and presence": ["move", { x: 1 }, "owner", 1],
  "realtime: errors": ["CHANNEL_CLOSED", "MESSAGE_TOO_LARGE"],
  errors: [
    true,
    413,
    "EaselError INVALID_BODY 400",
    "EaselError CONNECTION_NOT_GRANTED 404",
    "EaselError INVALID_BODY 400",
    "CapabilityDisabledError CAPABILITY_DISABLED 403",
  ],
};

const POLICY = {
  collections: { ideas: { preset: "contributions" } },
  fileGroups: { photos: { preset: "contributions" } },
} as const;

/** The two ways to load the SDK, as a script of the service or as a module of the canvas. Each has the HTML with which a page loads it. */
const FORMS = {
  script: `<script src="/sdk/v1.js"></script><script type="module">globalThis.sdk = easel;`,
  module: `<script type="module">globalThis.sdk = await import("./sdk.js");`,
};

const SUITE = readFileSync(path.join(import.meta.dirname, "sdk-suite.js"));
const MODULE = readFileSync(path.join(ROOT, "packages/sdk/dist/npm/index.js"));

test("the SDK works in a browser", { skip: noBrowser }, async (t) => {
  const site = await startSite(t, "subdomain");
  const browser = await openBrowser(t);
  for (const [form, script] of Object.entries(FORMS)) {
    const canvas = await stage(site.target);
    await govern(site.target, canvas, POLICY);
    await publish(site.target, canvas, {
      "index.html": `<!doctype html><title>Page</title>${script}
          globalThis.suite = (await import("./suite.js")).suite;</script>`,
      "suite.js": SUITE,
      "sdk.js": MODULE,
    });
    const context = await browser.newContext();
    await enterAs(context, site, canvas.people.owner);
    const page = await context.newPage();
    await page.goto(site.env.base.canvasUrl(canvas.slug));
    await page.waitForFunction("globalThis.suite");
    assert.deepEqual(await page.evaluate("Object.keys(suite)"), Object.keys(EXPECTED));
    for (const [name, expected] of Object.entries(EXPECTED))
      await t.test(`${name}, as a ${form}`, async () => {
        const call = `suite[${JSON.stringify(name)}](sdk).then(JSON.stringify)`;
        assert.deepEqual(JSON.parse(await page.evaluate(call)), expected);
      });
    await context.close();
  }
});

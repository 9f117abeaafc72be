import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { manage, type Stage, stage, turn } from "@easel/conformance/fixture";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { tokenOf } from "@easel/conformance/token";
import type { CallLogPage, NamedCall } from "@easel/protocol/management";
import type { Page } from "playwright-core";
import { noBrowser, openBrowser } from "../../support/browser.ts";
import { publish } from "../../support/publish.ts";
import { enterAs, type Site, startSite } from "../../support/site.ts";

/** A page that goes wrong in each way, and once more when it is left. */
const FAILING = `<!doctype html><title>Tea</title><meta http-equiv="content-security-policy" content="img-src 'self'"><script src="/sdk/v1.js"></script>
<img src="missing.png?secret"><img src="https://tracker.example/pixel.png">
<script src="app.js"></script>
<script>
  for (let times = 0; times < 3; times++) setTimeout(() => { throw new TypeError("no cup") });
  addEventListener("pagehide", () => { throw new Error("left") });
</script>`;

const APP = `async function brew() {
  await easel.kv.set("tea", 3);
}
brew();`;

/** Returns the entries of the log once it has `count` of them. */
async function entriesOf({ target }: Site, { id, people }: Stage, count: number): Promise<NamedCall[]> {
  for (const end = Date.now() + PATIENCE_MS; ; await wait(50)) {
    const { json } = await manage(target, people.owner, "GET", `/api/canvases/${id}/log?after=0-0`);
    const { entries } = json as unknown as CallLogPage;
    if (entries.length >= count || Date.now() > end) return entries;
  }
}

/** Opens pages of a canvas, and counts the requests with reports. */
function reportsFrom(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/page-errors")) sent.push(request.method());
  });
  return sent;
}

for (const mode of ["path", "subdomain"] as const)
  test(`by ${mode}, what goes wrong in a preview without a session is in the log`, {
    skip: noBrowser,
  }, async (t) => {
    const site = await startSite(t, mode);
    const { target, env } = site;
    const canvas = await stage(target);
    const version = await publish(target, canvas, { "index.html": FAILING, "app.js": APP });
    await publish(target, canvas, { "index.html": "<p>live" });
    const program = await tokenOf(target, canvas.people.editor);
    const path = `/api/canvases/${canvas.id}/versions/${version}/preview`;
    const { json } = await manage(target, program, "POST", path, { signedIn: true });

    const page = await (await openBrowser(t)).newPage();
    await page.goto(String(json.url));
    assert.equal(page.url(), env.base.canvasUrl(canvas.slug));
    await page.waitForFunction("document.images[0].complete");
    const first = await entriesOf(site, canvas, 5);
    await page.goto("about:blank");
    const all = await entriesOf(site, canvas, first.length + 1);

    const refused = { method: "PUT", route: "/kv/tea", code: "PERMISSION_DENIED", pageError: null };
    const [call, ...errors] = all.map(({ method, route, code, message, pageError }) => ({
      ...(pageError === null ? { method, route, code } : { code, message }),
      pageError,
    }));
    assert.deepEqual(call, refused);
    const at = (source: string | null, line: number | null, column: number | null, count = 1) => ({
      pageError: { page: "/", source, line, column, count, preview: true },
    });
    const blocks = "The content security policy (img-src) blocks this";
    const byText = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    assert.deepEqual(
      errors.toSorted(byText),
      [
        { code: "LOAD_FAILED", message: "<img> did not load: /missing.png", ...at(null, null, null) },
        { code: "SCRIPT_ERROR", message: "Uncaught TypeError: no cup", ...at(null, 5, 68, 3) },
        {
          code: "SCRIPT_ERROR",
          message: "Unhandled rejection: EaselError: This access token can only read.",
          ...at("/app.js", 2, 3),
        },
        {
          code: "CSP_VIOLATION",
          message: `${blocks}: https://tracker.example/pixel.png`,
          ...at(null, 3, 31),
        },
        { code: "SCRIPT_ERROR", message: "Uncaught Error: left", ...at(null, 6, 46) },
      ].toSorted(byText),
    );
    const { id, name } = (await manage(target, canvas.people.editor, "GET", "/api/me")).json;
    for (const { userId, userName } of all) assert.deepEqual([userId, userName], [id, name]);
  });

test("pages of owners report, also after a load from the cache; those of viewers send nothing", {
  skip: noBrowser,
}, async (t) => {
  const site = await startSite(t, "path");
  const canvas = await stage(site.target);
  await publish(site.target, canvas, {
    "index.html": FAILING.replace(/addEventListener.*/, ""),
    "app.js": "1",
  });
  await turn(site.target, canvas, { backendEnabled: false });
  const browser = await openBrowser(t);
  const open = async (role: "owner" | "viewer") => {
    const context = await browser.newContext();
    await enterAs(context, site, canvas.people[role]);
    const page = await context.newPage();
    const sent = reportsFrom(page);
    await page.goto(site.env.base.canvasUrl(canvas.slug));
    return { page, sent };
  };
  const viewer = await open("viewer");
  const owner = await open("owner");
  const entries = await entriesOf(site, canvas, 3);
  assert.deepEqual(entries.map(({ code, pageError }) => [code, pageError?.preview]).sort(), [
    ["CSP_VIOLATION", false],
    ["LOAD_FAILED", false],
    ["SCRIPT_ERROR", false],
  ]);
  await owner.page.reload();
  assert.equal((await entriesOf(site, canvas, 6)).length, 6);
  await viewer.page.goto("about:blank");
  assert.deepEqual([viewer.sent, owner.sent], [[], ["POST", "POST"]]);
});

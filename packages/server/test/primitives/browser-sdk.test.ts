import assert from "node:assert/strict";
import { test } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { call } from "@easel/conformance/page";
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

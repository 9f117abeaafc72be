import assert from "node:assert/strict";
import { test } from "node:test";
import { FORM_TYPE, formOf, upload } from "@easel/conformance/files/form";
import { stage } from "@easel/conformance/fixture";
import { call } from "@easel/conformance/page";
import { noBrowser, openBrowser } from "../../support/browser.ts";
import { publish } from "../../support/publish.ts";
import { enterAs, startSite } from "../../support/site.ts";

const PAGE = `<!doctype html><title>Page</title><script src="/sdk/v1.js"></script>`;
const SECONDS = 60;
const BYTES_PER_SECOND = 44_100 * 4;

/** Returns a sound file: a minute of silence in stereo, with 16 bits a sample. */
function sound(): Buffer {
  const size = SECONDS * BYTES_PER_SECOND;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + size, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(2, 22);
  head.writeUInt32LE(44_100, 24);
  head.writeUInt32LE(BYTES_PER_SECOND, 28);
  head.writeUInt16LE(4, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(size, 40);
  return Buffer.concat([head, Buffer.alloc(size)]);
}

test("media seeks by ranges", { skip: noBrowser }, async (t) => {
  const site = await startSite(t, "subdomain");
  const { target, env } = site;
  const canvas = await stage(target, { switches: { files: true } });
  await publish(target, canvas, { "index.html": PAGE });
  const { owner } = canvas.people;
  const form = formOf({}, { type: "audio/wav", bytes: sound() });
  const { json } = await call(
    target,
    canvas.slug,
    owner,
    "POST",
    "/files",
    [["Content-Type", FORM_TYPE]],
    form,
  );
  const context = await (await openBrowser(t)).newContext();
  await enterAs(context, site, owner);
  const page = await context.newPage();
  await page.goto(env.base.canvasUrl(canvas.slug));
  const ranges: (string | undefined)[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith("/content")) ranges.push(response.headers()["content-range"]);
  });
  const times = await page.evaluate<number[]>(`(async () => {
      const audio = new Audio();
      const happened = (name) => new Promise((resolve, reject) => {
        audio.addEventListener(name, resolve, { once: true });
        audio.addEventListener("error", () => reject(new Error(audio.error.message)));
      });
      audio.preload = "metadata";
      const ready = happened("loadedmetadata");
      audio.src = easel.files.url(${JSON.stringify(json.id)});
      await ready;
      const times = [audio.duration];
      for (const time of [50, 10]) {
        const sought = happened("seeked");
        audio.currentTime = time;
        await sought;
        times.push(audio.currentTime);
      }
      return times;
    })()`);
  assert.deepEqual(times, [SECONDS, 50, 10]);
  assert.ok(ranges.length > 0 && ranges.every((range) => range !== undefined), `${ranges}`);
  assert.ok(
    ranges.some((range) => Number(/^bytes (\d+)-/.exec(range ?? "")?.[1]) > 40 * BYTES_PER_SECOND),
    `${ranges}`,
  );
});

/** A form without a script, whose file comes first. */
const formTo = (url: string) => `<!doctype html><title>Page</title>
<form method="post" enctype="multipart/form-data" action="${url}">
  <input type="file" name="file"><input name="scope" value="submission"><button>Send</button>
</form>`;

test("a viewer uploads by a plain form whose file is first", { skip: noBrowser }, async (t) => {
  const site = await startSite(t, "subdomain");
  const { target, env } = site;
  const canvas = await stage(target, { switches: { files: true } });
  const url = `${env.base.origin}/v1/c/${canvas.slug}/files`;
  await publish(target, canvas, { "index.html": formTo(url) });
  const context = await (await openBrowser(t)).newContext();
  await enterAs(context, site, canvas.people.viewer);
  const page = await context.newPage();
  await page.goto(env.base.canvasUrl(canvas.slug));
  await page.setInputFiles("input[type=file]", {
    name: "tea.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("tea"),
  });
  const [response] = await Promise.all([page.waitForResponse(url), page.click("button")]);
  assert.equal(response.status(), 201, await response.text());
  assert.deepEqual(await env.db.get`select name, size, scope from files where canvas_id = ${canvas.id}`, {
    name: "tea.txt",
    size: 3,
    scope: "submission",
  });
});

const SCRIPT = `document.documentElement.setAttribute("data-ran", "");`;
const HTML = `<!doctype html><title>Shown</title><script>${SCRIPT}</script>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload='${SCRIPT}'><title>Shown</title><script>${SCRIPT}</script></svg>`;

/** Files that contain scripts, and whether a browser shows them. It downloads the others. */
const FILES: [type: string, bytes: string, isShown: boolean][] = [
  ["image/png", HTML, true],
  ["text/html", HTML, false],
  ["image/svg+xml", SVG, false],
];

test("no script in a file runs, in a frame or by navigation", { skip: noBrowser }, async (t) => {
  const site = await startSite(t, "path");
  const { target, env } = site;
  const canvas = await stage(target, { switches: { files: true } });
  await publish(target, canvas, { "index.html": PAGE });
  const browser = await openBrowser(t);
  const context = await browser.newContext();
  await enterAs(context, site, canvas.people.owner);
  const page = await context.newPage();
  const home = env.base.canvasUrl(canvas.slug);

  for (const [type, bytes, isShown] of FILES) {
    const { json } = await upload(canvas.pages.owner, {}, { name: "a", type, bytes });
    const url = new URL(String(json.url), home).href;

    // First the page of the canvas navigates to the file.
    await page.goto(home);
    if (isShown) {
      await page.evaluate(`location.href = ${JSON.stringify(url)}`);
      await page.waitForURL(url);
      assert.deepEqual(
        await page.evaluate(`[document.contentType, document.documentElement.hasAttribute("data-ran")]`),
        [type, false],
      );
    } else {
      const offered = page.waitForEvent("download");
      await page.evaluate(`location.href = ${JSON.stringify(url)}`);
      assert.equal((await offered).url(), url);
      assert.equal(page.url(), home);
    }

    // Then a frame loads the file, in a page whose policy allows the frame, unlike the policy of canvases.
    const outer = `${env.base.origin}/outer`;
    await page.route(outer, (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${url}"></iframe>` }),
    );
    const { promise: decided, resolve } = Promise.withResolvers<void>();
    const onEnd = (each: { url(): string }) => each.url() === url && resolve();
    page.on("download", onEnd).on("requestfailed", onEnd).on("requestfinished", onEnd);
    // A page whose frame becomes a download does not finish loading.
    await page.goto(outer, { waitUntil: isShown ? "load" : "commit" });
    await decided;
    page.off("download", onEnd).off("requestfailed", onEnd).off("requestfinished", onEnd);
    const ran = await page.frames()[1]?.evaluate(`document.documentElement.hasAttribute("data-ran")`);
    assert.equal(ran, false, type);

    // The content security policy alone stops the scripts where the file is not sent as a download. Without the policy, they run.
    if (isShown) continue;
    const content = await canvas.pages.owner.get(`/files/${json.id}/content`);
    assert.equal(content.text, bytes);
    for (const [kept, runs] of [
      [["content-type", "content-security-policy"], false],
      [["content-type"], true],
    ] as const) {
      const headers = Object.fromEntries(kept.map((name) => [name, String(content.headers[name])]));
      await page.route(url, (route) => route.fulfill({ headers, body: bytes }));
      await page.goto(url);
      const hasRun = await page.evaluate(`document.documentElement.hasAttribute("data-ran")`);
      assert.equal(hasRun, runs, `${type} with ${kept}`);
      await page.unroute(url);
    }
  }
});

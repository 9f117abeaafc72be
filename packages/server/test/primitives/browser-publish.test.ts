import assert from "node:assert/strict";
import { test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { enterAs, startSite } from "../support/site.ts";

const PAGE = `<!doctype html><title>Page</title><script src="/sdk/v1.js"></script>`;
const SETTINGS = { SERVICE_AUTHORING: "on" };
const MIB = 1024 * 1024;

/** Script that defines `bundle`: text, blanks that deflate to almost nothing, bytes that do not deflate, and a path that needs encoding. */
const BUNDLE = `
  const noise = new Uint8Array(${MIB});
  for (let at = 0; at < noise.length; at += 65536) crypto.getRandomValues(noise.subarray(at, at + 65536));
  const bundle = {
    "index.html": "<!doctype html><meta charset=utf-8><title>Tée</title>",
    "blank.txt": " ".repeat(${2 * MIB}),
    "ä/お茶 #1.bin": new Blob([noise]),
  };`;

test("a browser zips, publishes and aborts", { skip: noBrowser }, async (t) => {
  const site = await startSite(t, "subdomain", { settings: SETTINGS });
  const { target, env } = site;
  const canvas = await stage(target, { switches: { authoring: true } });
  await publish(target, canvas, { "index.html": PAGE });
  const context = await (await openBrowser(t)).newContext();
  await enterAs(context, site, canvas.people.owner);
  const page = await context.newPage();
  await page.goto(env.base.canvasUrl(canvas.slug));

  const made = await page.evaluate<{ url: string; sum: string; seen: { loaded: number; total: number }[] }>(
    `(async () => {${BUNDLE}
        const seen = [];
        const { url } = await easel.canvases.publish({ title: "Tea", bundle, onProgress: (each) => seen.push(each) });
        const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", noise)).toHex();
        return { url, sum, seen };
      })()`,
  );
  const { loaded, total } = made.seen.at(-1) ?? assert.fail("no progress");
  assert.equal(loaded, total);
  // The blanks are stored, because the service refuses files that are compressed so well.
  assert.ok(total > 3 * MIB && total < 3 * MIB + 2000, `${total}`);
  await page.goto(made.url);
  assert.equal(await page.title(), "Tée");
  const read = await page.evaluate<string[]>(`(async () => {
      const bytes = await (await fetch("ä/" + encodeURIComponent("お茶 #1.bin"))).arrayBuffer();
      const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
      return [sum, await (await fetch("blank.txt")).text()];
    })()`);
  assert.deepEqual(read, [made.sum, " ".repeat(2 * MIB)]);

  await page.goto(env.base.canvasUrl(canvas.slug));
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const speed = (uploadThroughput: number) =>
    session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await speed(MIB);
  const aborted = await page.evaluate<string[]>(`(async () => {${BUNDLE}
      const failed = (canvas) => easel.canvases.publish({ title: "Never", bundle, ...canvas }).catch((error) => error.name);
      const zipped = new AbortController();
      setTimeout(() => zipped.abort());
      const sent = new AbortController();
      const onProgress = ({ loaded }) => loaded > 0 && sent.abort();
      return [await failed({ signal: zipped.signal }), await failed({ signal: sent.signal, onProgress })];
    })()`);
  assert.deepEqual(aborted, ["AbortError", "AbortError"]);
  await speed(-1);
  const titles = await page.evaluate<string[]>(`(async () => {${BUNDLE}
      delete globalThis.CompressionStream;
      await easel.canvases.publish({ title: "Stored", bundle });
      return (await easel.canvases.list()).map(({ title }) => title);
    })()`);
  assert.deepEqual(titles, ["Stored", "Tea"]);
});

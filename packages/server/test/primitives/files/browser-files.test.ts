import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { govern } from "@easel/conformance/policy";
import type { Page } from "playwright-core";
import { noBrowser, openBrowser } from "../../support/browser.ts";
import { publish } from "../../support/publish.ts";
import { enterAs, type Site, startSite } from "../../support/site.ts";

const PAGE = `<!doctype html><title>Page</title><script src="/sdk/v1.js"></script>`;

/** Script that defines a picture of 2 × 1 pixels, and a function that returns the width of an image; null if it does not load. */
const PICTURES = `
  globalThis.draw = () => {
    const canvas = new OffscreenCanvas(2, 1);
    canvas.getContext("2d");
    return canvas.convertToBlob();
  };
  globalThis.widthOf = (src, fields) =>
    new Promise((resolve) => {
      const image = Object.assign(new Image(), fields);
      image.onload = () => resolve(image.naturalWidth);
      image.onerror = () => resolve(null);
      image.src = src;
    });`;

const sites = {
  path: await startSite({ after }, "path"),
  subdomain: await startSite({ after }, "subdomain"),
};
const browser = noBrowser ? null : await openBrowser({ after });

/** Opens the page of a new canvas as its owner. `elsewhere` opens the page of another canvas of the same owner in the same browser. */
async function openCanvas(site: Site) {
  assert.ok(browser !== null);
  const context = await browser.newContext();
  const canvas = await stage(site.target);
  await enterAs(context, site, canvas.people.owner);
  const open = async (opened: Stage): Promise<Page> => {
    await publish(site.target, opened, { "index.html": PAGE });
    const page = await context.newPage();
    await page.goto(site.env.base.canvasUrl(opened.slug));
    await page.evaluate(PICTURES);
    return page;
  };
  const elsewhere = async () => open(await stage(site.target, { people: canvas.people }));
  return { canvas, page: await open(canvas), elsewhere };
}

/** Returns the number of stored files of a canvas. */
async function stored({ env }: Site, { id }: Stage): Promise<number> {
  const row = await env.db.get<{
    files: number;
  }>`select count(*) as files from files where canvas_id = ${id}`;
  return Number(row?.files);
}

for (const mode of ["path", "subdomain"] as const) {
  describe(`files of a page, canvases by ${mode}`, { skip: noBrowser }, () => {
    const site = sites[mode];
    it("uploads a picture with progress and shows it; no page of another canvas shows it", async () => {
      const { canvas, page, elsewhere } = await openCanvas(site);
      const { file, steps, size } = await page.evaluate<{
        file: { id: string; name: string; size: number; url: string };
        steps: { loaded: number; total: number }[];
        size: number;
      }>(`(async () => {
      const picture = await draw();
      const steps = [];
      const file = await easel.files.upload(picture, { name: "täa.png", onProgress: (step) => steps.push(step) });
      return { file, steps, size: picture.size };
    })()`);
      const url = `${site.base}/v1/c/${canvas.slug}/files/${file.id}/content`;
      assert.deepEqual(file, { id: file.id, name: "täa.png", size, url });
      assert.deepEqual(steps.at(-1), { loaded: size, total: size });
      assert.equal(await page.evaluate(`easel.files.url("${file.id}")`), url);

      const shown = (where: Page, ways: object[]) =>
        where.evaluate(`Promise.all(${JSON.stringify(ways)}.map((each) => widthOf("${url}", each)))`);
      const ways: object[] = [{}, { crossOrigin: "use-credentials" }];
      assert.deepEqual(await shown(page, ways), [2, 2]);
      // In path mode a page that sends no referrer can show files of another canvas (SECURITY.md).
      if (mode === "subdomain") ways.push({ referrerPolicy: "no-referrer" });
      assert.deepEqual(
        await shown(await elsewhere(), ways),
        ways.map(() => null),
      );
    });
  });
}

describe("files of a page", { skip: noBrowser }, () => {
  const site = sites.subdomain;
  const opened = noBrowser ? null : openCanvas(site);
  /** Returns a page of a canvas without files. The tests share it. */
  const openShared = async () => {
    const shared = (await opened) ?? assert.fail("no browser");
    await shared.page.evaluate(
      "easel.files.list().then((files) => Promise.all(files.map(({ id }) => easel.files.delete(id))))",
    );
    return shared;
  };

  it("gets the errors of an upload, by fetch and by XMLHttpRequest", async () => {
    const { canvas, page } = await openShared();
    for (const options of ["{}", "{ onProgress() {} }"]) {
      const error = await page.evaluate(`easel.files.upload(new Uint8Array(26 * 1024 * 1024), ${options})
      .catch(({ name, code, status }) => ({ name, code, status }))`);
      assert.deepEqual(error, { name: "QuotaExceededError", code: "FILE_TOO_LARGE", status: 413 });
    }
    assert.equal(await stored(site, canvas), 0);
  });

  it("lists, renames, deletes and watches files", async () => {
    const { canvas, page } = await openShared();
    const result = await page.evaluate<Record<string, unknown>>(`(async () => {
    const changes = [];
    let changed = () => {};
    const heard = (count) => new Promise((resolve) => {
      changed = () => changes.length >= count && resolve();
      changed();
    });
    easel.files.watch((change) => { changes.push(change); changed(); });
    await heard(1);
    const first = await easel.files.upload("Tea at four", { name: "a.txt" });
    await heard(2);
    const second = await easel.files.upload(new File(["x"], "b.bin"), { scope: "submission" });
    await heard(3);
    const { name } = await easel.files.rename(first.id, "c.txt");
    await heard(4);
    const pages = [await easel.files.list({ limit: 1 })];
    pages.push(await easel.files.list({ limit: 1, cursor: pages[0].nextCursor }));
    const all = await easel.files.list();
    await easel.files.delete(second.id);
    await heard(5);
    const missing = await easel.files.delete(second.id).catch(({ name }) => name);
    return {
      ids: [first.id, second.id], name, changes, missing, last: pages[1].nextCursor,
      pages: pages.flat().map(({ id }) => id),
      all: all.map(({ id, name, size, mime, scope }) => ({ id, name, size, mime, scope })),
    };
  })()`);
    const [first, second] = result.ids as string[];
    assert.deepEqual(result, {
      ids: [first, second],
      name: "c.txt",
      changes: [
        { op: "resync" },
        { op: "set", id: first, scope: "shared" },
        { op: "set", id: second, scope: "submission" },
        { op: "set", id: first, scope: "shared" },
        { op: "delete", id: second, scope: "submission" },
      ],
      missing: "NotFoundError",
      last: null,
      pages: [first, second],
      all: [
        { id: first, name: "c.txt", size: 11, mime: "text/plain", scope: "shared" },
        { id: second, name: "b.bin", size: 1, mime: "application/octet-stream", scope: "submission" },
      ],
    });
    assert.equal(await stored(site, canvas), 1);
  });

  it("uploads into a group and attaches to a record, and lists by both", async () => {
    const { canvas, page } = await openShared();
    await govern(site.target, canvas, {
      collections: { ideas: { preset: "collaborative" } },
      fileGroups: { photos: { preset: "contributions" } },
    });
    const { files, lists } = await page.evaluate<{ files: string[]; lists: string[][] }>(`(async () => {
      const ideas = easel.kv.collection("ideas");
      const { id: recordId } = await ideas.create("Tea at four");
      const files = [
        await easel.files.upload("a", { group: "photos" }),
        await easel.files.upload("b", { collection: "ideas", recordId }),
      ];
      const idsOf = async (filter) => (await easel.files.list(filter)).map(({ id }) => id);
      const lists = [];
      for (const filter of [{ group: "photos" }, { collection: "ideas" }, { collection: "ideas", recordId }])
        lists.push(await idsOf(filter));
      await ideas.delete(recordId);
      lists.push(await idsOf());
      return { files: files.map(({ id }) => id), lists };
    })()`);
    const [grouped, attached] = files;
    assert.deepEqual(lists, [[grouped], [attached], [attached], [grouped]]);
  });

  it("aborts an upload, and nothing is stored", async () => {
    const { canvas, page } = await openShared();
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1024 * 1024 },
    });
    const [error, { loaded, total }] = await page.evaluate<[string, { loaded: number; total: number }]>(
      `(async () => {
      const upload = new AbortController();
      let seen;
      const onProgress = (step) => { seen = step; upload.abort(); };
      const file = new Uint8Array(20 * 1024 * 1024);
      const error = await easel.files.upload(file, { onProgress, signal: upload.signal }).catch(({ name }) => name);
      return [error, seen];
    })()`,
    );
    assert.equal(error, "AbortError");
    assert.ok(loaded < total);
    assert.deepEqual(await page.evaluate("easel.files.list()"), []);
    assert.equal(await stored(site, canvas), 0);
  });
});

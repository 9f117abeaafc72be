import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import type { Env } from "@easel/server";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { fileScope, startExample } from "../packages/server/test/support/service.ts";

/** Encodes a chunk of a PNG. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

/** Makes a PNG of one colour, 8 pixels wide and high, and adds bytes to it that do not change the picture. */
function png(red: number, padding = 0): Buffer {
  const header = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0]);
  const line = Buffer.from([0, ...Array.from({ length: 8 }, () => [red, 120, 90]).flat()]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: 8 }, () => line)))),
    chunk("IEND", Buffer.alloc(0)),
    Buffer.alloc(padding),
  ]);
}

const picture = (name: string, buffer = png(200)) => ({ name, mimeType: "image/png", buffer });

type Picture = ReturnType<typeof picture>;

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const wall = (page: Page) => region(page, "On the wall");
const drawer = (page: Page) => region(page, "Only for you");
const photo = (page: Page, title: string) =>
  page.locator(".photo").filter({ has: page.getByText(title, { exact: true }) });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const row = (page: Page, title: string) => page.locator(".upload").filter({ hasText: title });
const choose = (page: Page, ...files: Picture[]) => page.locator("#files").setInputFiles(files);
const says = (page: Page, text: string) =>
  page.getByRole("status").getByText(text, { exact: true }).waitFor();

/** Waits until the picture of a photo is loaded. */
const loads = (page: Page, title: string) =>
  page.waitForFunction(
    `[...document.images].some((image) => image.alt === ${JSON.stringify(title)} && image.naturalWidth === 8)`,
  );

/** Waits until the focused element matches a selector. */
const focuses = (page: Page, selector: string) =>
  page.waitForFunction(`document.activeElement.matches(${JSON.stringify(selector)})`);

/** Sends the page a `paste` or `drop` event with a picture. */
const hand = (page: Page, type: "paste" | "drop", { name, buffer }: Picture) =>
  page.evaluate(`{
    const bytes = Uint8Array.fromBase64(${JSON.stringify(buffer.toString("base64"))});
    const data = new DataTransfer();
    data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: "image/png" }));
    const init = { clipboardData: data, dataTransfer: data, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new (${type === "paste" ? "ClipboardEvent" : "DragEvent"})("${type}", init));
  }`);

describe("two people at the photo wall", { skip: noBrowser }, () => {
  const scope = fileScope();
  let env: Env;
  let owner: Page;
  let viewer: Page;
  const faults: string[][] = [];

  before(async () => {
    const started = await startExample(scope, "photo-wall", { SERVICE_RATELIMIT_ENABLED: "false" });
    env = started.env;
    const browser = await openBrowser(scope);
    const open = async (name: string) => {
      const opened = await openAs(browser, `${started.base}/c/photo-wall/`, `${name}@example.com`);
      faults.push(opened.faults);
      return opened.page;
    };
    [owner, viewer] = [await open("dev"), await open("viewer")];
  });

  /** Removes the photos that the tests before have left, and opens the viewer's page anew. */
  const empty = async () => {
    for (const page of [owner, viewer])
      await page.evaluate(`(async () => {
        for (const group of ["photos", "drafts"])
          for (const { id } of await easel.files.list({ group })) await easel.files.delete(id);
      })()`);
    await viewer.reload();
    await viewer.getByText("The wall is still bare.").waitFor();
  };

  test("they share photos, and neither sees what the other keeps private", async () => {
    await owner.getByText("The wall is still bare.").waitFor();
    // Markup in a file name is shown as text.
    await choose(viewer, picture("Lake <b>at dawn.png"), picture("Ferry.png", png(90)));
    for (const page of [viewer, owner])
      for (const title of ["Lake <b>at dawn", "Ferry"]) {
        await wall(page).getByText(title, { exact: true }).waitFor();
        await loads(page, title);
      }
    await photo(owner, "Ferry").getByText("by Viewer").waitFor();
    await photo(viewer, "Ferry").getByText("by you").waitFor();

    await viewer.getByLabel("Only for me").check();
    await choose(viewer, picture("Draft.png", png(20)));
    await drawer(viewer).getByText("Draft", { exact: true }).waitFor();
    await says(viewer, "Draft is only for you.");
    const content = await photo(viewer, "Draft").locator("img").getAttribute("src");
    assert.equal((await viewer.request.get(`${content}`)).status(), 200);
    assert.equal((await owner.request.get(`${content}`)).status(), 404);

    // The owner of the canvas never sees the draft: not when a later photo appears, and not after a reload.
    await viewer.getByLabel("Everyone here").check();
    await choose(viewer, picture("Harbour.png"));
    await wall(owner).getByText("Harbour", { exact: true }).waitFor();
    assert.equal(await owner.locator(".photo").count(), 3);
    await owner.reload();
    await wall(owner).getByText("Harbour", { exact: true }).waitFor();
    assert.equal(await owner.locator(".photo").count(), 3);
    assert.equal(await drawer(owner).isVisible(), false);

    // With the preset `contributions`, a viewer may change their own photos, and the owner may change all photos.
    await choose(owner, picture("Team.png"));
    await photo(viewer, "Team").getByText("by Dev").waitFor();
    assert.equal(await button(viewer, "Rename “Team”").isVisible(), false);
    assert.equal(await button(viewer, "Remove “Team”").isVisible(), false);

    await button(owner, "Rename “Ferry”").click();
    await owner.getByRole("textbox", { name: "New name" }).fill("Ferry in fog");
    await owner.keyboard.press("Enter");
    await says(owner, "It is called Ferry in fog now.");
    await says(viewer, "Ferry is called Ferry in fog now.");
    await photo(viewer, "Ferry in fog").waitFor();

    await button(viewer, "Remove “Harbour”").click();
    await button(viewer, "Keep").click();
    assert.equal(await photo(viewer, "Harbour").count(), 1);
    await button(viewer, "Remove “Harbour”").click();
    await button(viewer, "Remove").click();
    await says(viewer, "Harbour is removed.");
    await says(owner, "Removed: Harbour.");
    await photo(owner, "Harbour").waitFor({ state: "detached" });
    await assertAccessible(viewer);
    await assertAccessible(owner, "dark");
    assert.deepEqual(faults, [[], []]);
  });

  test("an upload shows its progress, can be cancelled, and says why it failed", async () => {
    const page = viewer;
    const session = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 64 * 1024 };
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", slow);
    await choose(page, picture("Slow.png", png(1, 1024 * 1024)));
    await page.waitForFunction("document.querySelector('.upload progress')?.value > 0");
    await row(page, "Slow").getByText("%").waitFor();
    await button(page, "Cancel “Slow”").click();
    await says(page, "Slow is not uploaded.");
    await row(page, "Slow").waitFor({ state: "detached" });
    await focuses(page, "#add");
    await session.detach();

    await choose(page, picture("Disguised.png", Buffer.from("no picture at all")));
    await row(page, "Disguised").getByRole("alert").getByText("This is not a picture").waitFor();
    await button(page, "Dismiss “Disguised”").click();

    await env.db.run`insert into quotas (name, value) values ('files.bytes.file', 100000)`;
    await choose(page, picture("Huge.png", png(2, 200_000)), picture("Small.png"));
    await row(page, "Huge").getByRole("alert").getByText("This picture is too large.").waitFor();
    await photo(page, "Small").waitFor();
    await assertAccessible(page);
    await button(page, "Dismiss “Huge”").click();
    await env.db.run`delete from quotas where name = 'files.bytes.file'`;

    await env.db.run`insert into quotas (name, value) values ('files.bytes.canvas', 2000)`;
    await choose(page, picture("Last.png", png(3, 4000)));
    await row(page, "Last").getByRole("alert").getByText("The wall is full.").waitFor();
    await env.db.run`delete from quotas where name = 'files.bytes.canvas'`;
    await button(page, "Try again “Last”").click();
    await photo(page, "Last").waitFor();
    await row(page, "Last").waitFor({ state: "detached" });

    await env.db.run`update canvases set files = 0 where slug = 'photo-wall'`;
    await page.reload();
    const failure = page.locator("#failure").getByText("switched off for this canvas");
    await failure.waitFor();
    assert.equal(await button(page, "Add photos").isVisible(), false);
    await env.db.run`update canvases set files = 1 where slug = 'photo-wall'`;
    await button(page, "Try again").click();
    await photo(page, "Small").waitFor();
    assert.equal(await failure.isVisible(), false);
    assert.deepEqual(faults, [[], []]);
  });

  test("by drop and paste, page by page", async () => {
    const page = viewer;
    await empty();
    await hand(page, "drop", picture("Dropped.png"));
    await loads(page, "Dropped");
    await page.getByLabel("Only for me").check();
    await hand(page, "paste", picture("Pasted.png"));
    await drawer(page).getByText("Pasted", { exact: true }).waitFor();
    await page.getByLabel("Everyone here").check();
    await choose(page, ...Array.from({ length: 24 }, (_, each) => picture(`Photo ${each}.png`)));
    await wall(page).getByText("25", { exact: true }).waitFor();
    assert.equal(await wall(page).locator(".photo").count(), 24);
    await wall(page).getByRole("button", { name: "More photos" }).click();
    assert.equal(await wall(page).locator(".photo").count(), 25);
    await focuses(page, "#photos li:nth-child(25) .open");
    assert.deepEqual(faults, [[], []]);
  });

  test("by keyboard alone: adding, the larger view, renaming and removing; on narrow and wide screens", async () => {
    const page = viewer;
    await empty();
    // Adds a listener for the whole test, because file choosers that open between two calls of `waitForEvent` would not be intercepted.
    page.on("filechooser", () => {});
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const add = async (...files: Picture[]) => {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press("Enter")]);
      await chooser.setFiles(files);
      for (const { name } of files) await photo(page, name.replace(".png", "")).waitFor();
    };

    await press("Tab");
    await focuses(page, "[value=photos]");
    await press("ArrowRight");
    await focuses(page, "[value=drafts]:checked");
    await press("Tab");
    await focuses(page, "#add");
    await add(picture("Secret.png"));
    assert.equal(await drawer(page).locator(".photo").count(), 1);
    await press("Shift+Tab", "ArrowLeft", "Tab");
    for (const title of ["One", "Two", "Three"]) await add(picture(`${title}.png`));
    assert.deepEqual(await wall(page).locator(".name").allTextContents(), ["Three", "Two", "One"]);

    // In the larger view, the arrow keys go from photo to photo and wrap around at the ends. When it closes, its last photo has the focus.
    const dialog = page.getByRole("dialog");
    const shows = (title: string) => dialog.getByRole("heading", { name: title, exact: true }).waitFor();
    await button(page, "Three").focus();
    await press("Enter");
    await shows("Three");
    await dialog.getByText("1 of 3").waitFor();
    await assertAccessible(page);
    await press("ArrowRight");
    await shows("Two");
    await press("ArrowLeft", "ArrowLeft");
    await shows("One");
    await page.waitForFunction("document.querySelector('#large').naturalWidth === 8");
    await press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await focuses(page, "[data-id] .open:has([alt=One])");

    await press("Tab");
    await focuses(page, ".rename");
    await press("Enter");
    await press("ControlOrMeta+a", "Delete", "Enter");
    await photo(page, "One").getByRole("alert").getByText("A photo needs a name.").waitFor();
    await page.keyboard.type("Uno");
    await press("Escape");
    await focuses(page, ".rename");
    await press("Enter");
    await page.keyboard.type("Eins");
    await press("Enter");
    await says(page, "It is called Eins now.");
    await focuses(page, ".rename");
    await press("Tab", "Enter");
    await dialog.getByRole("heading", { name: "Remove “Eins”?" }).waitFor();
    await press("Tab", "Enter");
    await says(page, "Eins is removed.");
    await focuses(page, ".open:has([alt=Two])");
    assert.deepEqual(await wall(page).locator(".name").allTextContents(), ["Three", "Two"]);

    const long = `${"Donaudampfschifffahrt".repeat(9)}.png`;
    await choose(page, picture(long), { ...picture("Letter.pdf"), mimeType: "application/pdf" });
    await photo(page, long.slice(0, -4)).waitFor();
    await row(page, "Letter.pdf").getByRole("alert").getByText("This is not a picture").waitFor();
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      await photo(page, long.slice(0, -4)).locator(".open").click();
      await dialog.waitFor();
      const within =
        "[...document.querySelectorAll('#viewer *')].every((each) => each.getBoundingClientRect().right <= innerWidth)";
      assert.equal(await page.evaluate(within), true, `the larger view at ${width}`);
      await button(page, "Close").click();
    }
    assert.deepEqual(faults, [[], []]);
  });

  test("after too many requests, uploads and pictures are requested again", async () => {
    const page = viewer;
    await empty();
    await page.clock.install();
    const refusal = { status: 429, json: { code: "RATE_LIMITED", message: "Too many requests." } };
    for (const address of [/\/files$/, /\/content$/])
      await page.route(address, (route) => route.fulfill(refusal), { times: 1 });
    const refused = page.waitForResponse((response) => /content$/.test(response.url()));
    await choose(page, picture("Patience.png"));
    await row(page, "Patience").getByText("this one waits a moment").waitFor();
    assert.equal(await page.locator(".photo").count(), 0);
    await page.clock.fastForward(15_000);
    await photo(page, "Patience").waitFor();
    assert.equal((await refused).status(), 429);
    await page.clock.fastForward(5000);
    await loads(page, "Patience");
    assert.deepEqual(faults, [[], []]);
  });
});

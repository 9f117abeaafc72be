import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { freshSlug, manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import type { Json } from "@easel/protocol/types";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";

/** The panel stands beside the list. */
const WIDE = { viewport: { width: 1440, height: 900 } };

/** A picture of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const RUNS = "document.title='run'";

const panelOf = (page: Page) => page.getByRole("complementary");
const toastOf = (page: Page, text: string) => page.locator(".toast", { hasText: text });
const tileOf = (page: Page, name: string) => page.getByRole("row", { name, exact: true });

/** Drops a file on the window. `content` is an expression. */
const drop = (page: Page, name: string, content: string, type: string) =>
  page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${content}], ${JSON.stringify(name)}, { type: "${type}" }));
    for (const event of ["dragenter", "dragover", "drop"])
      document.body.dispatchEvent(new DragEvent(event, { bubbles: true, cancelable: true, dataTransfer }));
  }`);

describe("files, export and import on the screen Data", { skip: noBrowser }, async () => {
  const { target, open } = await startDashboard({ after });
  const ada = await target.signIn("ada@acme.test");
  const send = async (method: string, path: string, body?: Json) => {
    const answer = await manage(target, ada, method, path, body as object);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.json as Record<string, Json>;
  };
  const make = async () => {
    const { id } = await send("POST", "/api/canvases", { title: "Data", slug: freshSlug() });
    const at = `/api/canvases/${id}`;
    await send("PATCH", `${at}/capabilities`, {
      backendEnabled: true,
      kv: true,
      files: true,
      expectedRuntimePolicy: null,
      runtimePolicy: { fileGroups: { photos: { preset: "collaborative" } } },
    });
    const names = async () =>
      ((await send("GET", `${at}/runtime/files`)).files as { name: string }[]).map(({ name }) => name).sort();
    return { at, screen: `/canvases/${id}/data`, names };
  };

  it("files are uploaded by button and drop, shown without running, renamed, and their deletion undone", async () => {
    const { screen, names } = await make();
    const { page } = await open(ada.email, `${screen}?show=files`, WIDE);
    await page.getByRole("heading", { name: "No file yet" }).waitFor();
    await assertAccessible(page, "light");
    await page.getByLabel("Files to upload").setInputFiles([
      { name: "dot.png", mimeType: "image/png", buffer: PNG },
      { name: "page.html", mimeType: "text/html", buffer: Buffer.from(`<script>${RUNS}</script>`) },
      {
        name: "picture.svg",
        mimeType: "image/svg+xml",
        buffer: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>${RUNS}</script></svg>`),
      },
    ]);
    await page.getByText("Uploaded 3 files.").waitFor();
    await tileOf(page, "dot.png").locator("img").waitFor();
    assert.equal(await tileOf(page, "picture.svg").locator("img").count(), 0);

    // A drop does not begin a new version here.
    await drop(page, "notes.txt", "'A first line'", "text/plain");
    await tileOf(page, "notes.txt").waitFor();
    assert.match(page.url(), /\/data\?/);
    await drop(page, "large.bin", "new Uint8Array(26 * 1024 * 1024)", "application/octet-stream");
    await page.getByText("1 file was not uploaded.").waitFor();
    await page.getByText("It has 26 MB; a file has at most 25 MB.").waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    assert.deepEqual(await names(), ["dot.png", "notes.txt", "page.html", "picture.svg"]);
    await assertAccessible(page, "dark");

    await tileOf(page, "page.html").click();
    const panel = panelOf(page);
    await panel.getByText(`<script>${RUNS}</script>`).waitFor();
    await panel.getByText("You,").waitFor();
    await assertAccessible(page, "light");
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await until(
      "the focus is on the file",
      async () => (await page.evaluate("document.activeElement.ariaLabel")) === "page.html",
    );
    await tileOf(page, "picture.svg").click();
    await panel.getByText(RUNS).waitFor();
    assert.equal(await panel.locator("img, iframe, object, embed").count(), 0);
    assert.doesNotMatch(await page.title(), /run/);
    await tileOf(page, "dot.png").click();
    await panel.locator("img.preview").waitFor();

    const name = panel.getByRole("textbox", { name: "Name" });
    await name.fill("");
    await panel.getByText("A file needs a name.").waitFor();
    await name.fill("renamed.png");
    await panel.getByRole("button", { name: "Rename" }).click();
    await tileOf(page, "renamed.png").waitFor();
    await page.getByRole("heading", { name: "renamed.png" }).waitFor();

    await panel.getByRole("button", { name: "Delete" }).click();
    await tileOf(page, "renamed.png").waitFor({ state: "detached" });
    await toastOf(page, "Deleted renamed.png.").getByRole("button", { name: "Undo" }).click();
    await tileOf(page, "renamed.png").focus();
    await page.keyboard.press("Delete");
    await toastOf(page, "Deleted renamed.png.").getByRole("button", { name: "Dismiss" }).click();
    await until("it is deleted", async () => !(await names()).includes("renamed.png"));
  });

  it("files of a group are listed and uploaded there, on a small screen, too", async () => {
    const { at, screen } = await make();
    const { page } = await open(ada.email, `${screen}?show=files&of=group:photos`, {
      viewport: { width: 320, height: 700 },
    });
    await page.getByText("to the group photos").waitFor();
    await page
      .getByLabel("Files to upload")
      .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: PNG });
    await tileOf(page, "a.png").waitFor();
    const [file] = (await send("GET", `${at}/runtime/files?group=photos`)).files as { name: string }[];
    assert.equal(file?.name, "a.png");
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"));
  });

  it("data is exported as a zip and imported into another canvas, which says what was left out", async () => {
    const [from, to] = [await make(), await make()];
    await send("PUT", `${from.at}/runtime/kv/greeting`, "Hello");
    await send("PUT", `${from.at}/runtime/kv/visits`, 3);
    await send("PUT", `${to.at}/runtime/kv/greeting`, "Here before");
    const { page } = await open(ada.email, `${from.screen}?show=transfer`);
    for (const part of ["Records", "Submissions", "Files"])
      await page.getByRole("checkbox", { name: part }).press("Space");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download as you may read it" }).click(),
    ]);
    assert.match(download.url(), /what=kv$/);
    const zip = await readFile(await download.path());
    await page.getByRole("checkbox", { name: "Keys" }).press("Space");
    await page.getByText("Choose at least one part.").waitFor();
    await assertAccessible(page, "light");

    const { page: other } = await open(ada.email, `${to.screen}?show=transfer`);
    await other.getByRole("heading", { name: "Import" }).waitFor();
    await drop(other, "wrong.zip", "'no zip'", "application/zip");
    await other.getByText("wrong.zip").waitFor();
    await other.getByRole("button", { name: "Import" }).click();
    await other.locator(".note.bad").waitFor();
    await other.getByLabel("Zip to import").setInputFiles({
      name: "data.zip",
      mimeType: "application/zip",
      buffer: zip,
    });
    await other.getByRole("button", { name: "Import" }).click();
    await other.getByRole("heading", { name: "Imported 1 entry, left out 1 other." }).waitFor();
    await other.getByText("1 entry: existed already and were kept").waitFor();
    await assertAccessible(other, "dark");
    assert.equal((await send("GET", `${to.at}/runtime/kv/greeting`)).value, "Here before");
    await other.getByRole("radio", { name: /Replace what is here/ }).check({ force: true });
    await other.getByRole("button", { name: "Import" }).click();
    await other.getByRole("heading", { name: "Imported 2 entries." }).waitFor();
    assert.equal((await send("GET", `${to.at}/runtime/kv/greeting`)).value, "Hello");
    await other.getByRole("link", { name: /Shared keys 2 keys/ }).waitFor();
  });
});

import assert from "node:assert/strict";
import { rename, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, before, describe, test } from "node:test";
import { until } from "@easel/conformance/patience";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { WebSocketServer } from "ws";
import { assertAccessible, noBrowser, openBrowser } from "../../server/test/support/browser.ts";
import { atEnd, fileScope } from "../../server/test/support/service.ts";
import { type Dev, startDev } from "./support/dev.ts";
import { addFiles, folderWith } from "./support/easel.ts";

const PAGE = `<!doctype html><html lang="en"><title>Notes</title><link rel="stylesheet" href="style.css">
<script src="/sdk/v1.js"></script><main><h1>Notes</h1><p id="me"></p><p id="notes"></p></main>
<script type="module">
  const me = await easel.me();
  document.getElementById("me").textContent = me.name + " is " + me.canvasRole;
  const notes = easel.kv.collection("notes");
  notes.watch(async () => {
    const { entries } = await notes.list();
    document.getElementById("notes").textContent = entries.map(({ value }) => value).join(", ");
  });
</script></html>`;
const SETTINGS = { title: "Notes", policy: { collections: { notes: { preset: "contributions" } } } };
const FILES = {
  "index.html": PAGE,
  "style.css": "h1 { color: rgb(1, 2, 3) }",
  "easel.json": JSON.stringify(SETTINGS),
};

describe("easel dev in a browser", { skip: noBrowser }, () => {
  const scope = fileScope();
  let folder: string;
  let dev: Dev;
  let browser: Browser;
  before(async () => {
    folder = await folderWith(scope, "notes-app", FILES);
    dev = await startDev(scope, folder);
    browser = await openBrowser(scope);
  });

  /** Opens the page on `localhost`, or on the subdomain `host` of `localhost`, which stands for a person. */
  async function open(host?: string): Promise<Page> {
    const context = await browser.newContext();
    windows.push(context);
    const page = await context.newPage();
    await page.goto(host === undefined ? dev.url : dev.url.replace("localhost", `${host}.localhost`));
    return page;
  }
  // Pages that stay open load again whenever a later test saves a file.
  const windows: BrowserContext[] = [];
  afterEach(() => Promise.all(windows.splice(0).map((context) => context.close())));

  const shows = (page: Page, person: string) => page.getByText(person, { exact: true }).waitFor();
  const bar = (page: Page) => page.getByRole("button", { name: /^easel dev: / });

  test("two windows are two people, who see each other's records at once", async () => {
    const ada = await open();
    const chi = await ada.context().newPage();
    await chi.goto(dev.url.replace("localhost", "chi.localhost"));
    await shows(ada, "Ada Berg is owner");
    await shows(chi, "Chi Tran is viewer");
    await chi.evaluate('easel.kv.collection("notes").create("from Chi")');
    await shows(ada, "from Chi");
  });

  test("a saved page is shown at once, also if the editor writes it by a rename", async () => {
    const page = await open();
    await shows(page, "Ada Berg is owner");
    await writeFile(path.join(folder, "index.html"), PAGE.replace("<h1>Notes", "<h1>Saved"));
    await shows(page, "Saved");
    await writeFile(path.join(folder, ".index.html.swp"), PAGE.replace("<h1>Notes", "<h1>Renamed"));
    await rename(path.join(folder, ".index.html.swp"), path.join(folder, "index.html"));
    await shows(page, "Renamed");
    await addFiles(folder, FILES);
    await page.getByRole("heading", { name: "Notes" }).waitFor();
  });

  test("a saved style sheet is swapped without a reload", async () => {
    const page = await open();
    await shows(page, "Ada Berg is owner");
    await bar(page).waitFor();
    await page.evaluate("globalThis.mark = 1");
    await addFiles(folder, { "style.css": "h1 { color: rgb(4, 5, 6) }" });
    await page.waitForFunction('getComputedStyle(document.querySelector("h1")).color === "rgb(4, 5, 6)"');
    assert.equal(await page.evaluate("globalThis.mark"), 1);
    await until(
      "the old style sheet is gone",
      async () => (await page.locator("link[rel=stylesheet]").count()) === 1,
    );
  });

  test("the terminal shows refused calls, script errors, files that do not load and what the content security policy blocks", async () => {
    const page = await open("dana");
    await shows(page, "Dana Levi is viewer");
    await page.evaluate('easel.kv.set("x", 1).catch(() => {})');
    await dev.says(/^PUT \/kv\/x 403 PERMISSION_DENIED \(Dana Levi\): /m);
    await page.evaluate('setTimeout(() => { throw new Error("boom") })');
    await dev.says(/^page: Uncaught Error: boom/m);
    // The bar does not weaken the content security policy of the page: other paths of the service stay blocked.
    assert.equal(await page.evaluate('fetch("/api/me").then(() => "open", () => "blocked")'), "blocked");
    await dev.says(/^page: The content security policy \(connect-src\) blocks this: .*\/api\/me$/m);
    await page.evaluate('document.body.append(Object.assign(new Image(), { src: "cup.png" }))');
    await dev.says(/^page: <img> did not load: .*\/cup\.png$/m);
  });

  test("the bar switches the person of a window, also by keyboard", async () => {
    const page = await open();
    await shows(page, "Ada Berg is owner");
    await bar(page).click();
    await page.getByRole("button", { name: "Ben Okoro" }).click();
    await shows(page, "Ben Okoro is editor");
    await bar(page).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Open a new window as Chi Tran" }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("group", { name: "easel dev" }).count(), 0);
    await bar(page).click();
    await page.getByLabel("Name", { exact: true }).fill("Eve Example");
    await page.getByLabel("E-mail address").fill("eve@corp.example");
    await page.getByRole("button", { name: "Add" }).click();
    await shows(page, "Eve Example is viewer");
    await bar(page).click();
    await page.getByRole("button", { name: "Signed out" }).click();
    await page.getByRole("heading", { name: "Who are you?" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Who are you?" }).waitFor();
    await bar(page).click();
    const opened = page.context().waitForEvent("page");
    await page.getByRole("link", { name: "Open a new window as Eve Example" }).click();
    assert.match((await opened).url(), /^http:\/\/eve\.localhost:/);
  });

  test("the bar can be folded, stays so, and breaks no accessibility rule", async () => {
    const page = await open();
    await shows(page, "Ada Berg is owner");
    await bar(page).click();
    for (const scheme of ["light", "dark"] as const) await assertAccessible(page, scheme);
    await page.getByRole("button", { name: "Fold" }).click();
    await page.reload();
    await bar(page).waitFor();
    assert.equal(await bar(page).getByText("Ada Berg, owner").count(), 0);
  });

  test("a mistake in easel.json is shown in the page and in the terminal, and its correction is applied", async () => {
    const page = await open();
    await shows(page, "Ada Berg is owner");
    await addFiles(folder, { "easel.json": '{ "titel": "x" }' });
    await page.getByText("`titel` is unknown; did you mean `title`?").waitFor();
    await dev.says(/easel\.json: `titel` is unknown/);
    const policy = { collections: { other: { preset: "contributions" } } };
    await addFiles(folder, { "easel.json": JSON.stringify({ policy }) });
    await page.waitForFunction(
      'globalThis.easel?.kv.collection("other").create("now").then(() => true, () => false)',
    );
    await addFiles(folder, FILES);
  });

  test("a frame gets no bar", async () => {
    await addFiles(folder, { "frame.html": '<!doctype html><title>Frame</title><iframe src="./"></iframe>' });
    const page = await open();
    await page.goto(`${dev.url}frame.html`);
    await bar(page).waitFor();
    await page.frameLocator("iframe").getByText("Ada Berg is owner").waitFor();
    assert.equal(await page.frameLocator("iframe").locator("easel-dev-bar").count(), 0);
  });
});

test("--proxy shows the page of a dev server, with its absolute paths, its sockets and the backend", {
  skip: noBrowser,
}, async (t) => {
  const page = `<!doctype html><title>Proxied</title><script src="/sdk/v1.js"></script><p id="me"></p><p id="socket"></p>
    <script type="module" src="/src/main.js"></script>`;
  const script = `const me = await easel.me();
    document.getElementById("me").textContent = me.name;
    new WebSocket("ws://" + location.host + "/?token=1", "hmr").onmessage = ({ data }) =>
      { document.getElementById("socket").textContent = data; };`;
  const files: Record<string, [string, string]> = {
    "/": ["text/html", page],
    "/src/main.js": ["text/javascript", script],
  };
  const server = http.createServer(({ url = "" }, response) => {
    const [type, body] = files[url] ?? ["text/plain", "nothing"];
    response.writeHead(url in files ? 200 : 404, { "content-type": type }).end(body);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket, { headers, url }) =>
    socket.send(`${headers.host} ${headers.origin} ${url}`),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  atEnd(t, async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const folder = await folderWith(t, "proxied-app", { "public/easel.json": JSON.stringify(SETTINGS) });
  const dev = await startDev(t, folder, "--proxy", `http://localhost:${port}`);
  const window = await (await (await openBrowser(t)).newContext()).newPage();
  await window.goto(dev.url.replace("localhost", "chi.localhost"));
  await window.getByText("Chi Tran", { exact: true }).first().waitFor();
  await window.getByText(`localhost:${port} http://localhost:${port} /?token=1`).waitFor();
  await window.getByRole("button", { name: "easel dev: Chi Tran, viewer" }).waitFor();
  await window.goto(dev.url.replace("localhost", "signed-out.localhost"));
  await window.getByRole("heading", { name: "Who are you?" }).waitFor();
});

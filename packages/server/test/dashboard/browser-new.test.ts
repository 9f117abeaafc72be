import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { button, choose, startFolders, untilOnline, untilReview } from "../support/folders.ts";
import { zip } from "../support/zip.ts";

const HOSTILE = `<img src=x onerror=alert(1)>.txt`;

describe("a new canvas in the dashboard", { skip: noBrowser }, async () => {
  const { target, base, open } = await startDashboard({ after });
  const { folder, listOf, read } = await startFolders({ after }, target);

  it("a folder becomes a canvas: what is left out is shown, names are text and NFC, and Private is chosen", async () => {
    const email = "folder@example.com";
    const root = await folder("lunch", {
      "index.html": `<title>Lunch & "tea"</title><script src="/app.js"></script>`,
      "app.js": "1",
      [`.git/${HOSTILE}`]: "x",
      ".git/b": "x",
      [`.${HOSTILE}`]: "x",
      "u\u0308ber/\u0645\u062e.txt": "deep",
    });
    const { page } = await open(email, "/new");
    await button(page, "Choose folder").waitFor();
    await assertAccessible(page, "light");
    await choose(page, root);
    await untilReview(page);
    await page.getByText("3 files, ").waitFor();
    await page.getByText("(hidden, 2 files)").waitFor();
    await page.getByText(`.${HOSTILE}`).waitFor();
    await page.getByText("not below the address of the canvas").waitFor();
    assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), 'Lunch & "tea"');
    assert.equal(await page.getByLabel("Address", { exact: true }).inputValue(), "lunch");
    await assertAccessible(page, "dark");
    await button(page, "Deploy").click();
    await untilOnline(page);
    assert.ok(await page.getByRole("radio", { name: "Private" }).isChecked());
    await button(page, "QR code").click();
    await page.getByRole("img", { name: `QR code of ${base}/c/lunch/` }).waitFor();
    await assertAccessible(page, "light");
    assert.equal((await read(email, "lunch", encodeURI("über/مخ.txt"))).text, "deep");
    assert.equal((await read(email, "lunch", ".git/b")).status, 404);
    await page.getByText("Organisation", { exact: true }).click();
    await button(page, "Save").click();
    await page.getByText("Saved.").waitFor();
    assert.equal((await read("other@example.com", "lunch")).status, 200);
  });

  it("an address that is taken is told at its field, with two others", async () => {
    const { page } = await open("taken@example.com", "/new");
    const root = await folder("plan", { "index.html": "<title>Plan</title>" });
    await manage(target, await target.signIn("first@example.com"), "POST", "/api/canvases", {
      title: "Plan",
      slug: "plan",
    });
    await choose(page, root);
    await button(page, "Deploy").click();
    await page.getByText("This address is taken.").waitFor();
    assert.equal(await page.evaluate("document.activeElement.value"), "plan");
    await assertAccessible(page, "dark");
    await button(page, "plan-2").click();
    await button(page, "Deploy").click();
    await untilOnline(page);
    assert.match((await read("taken@example.com", "plan-2")).text, /Plan/);
  });

  it("a zip, an HTML file, pasted HTML and an example become canvases; other files are refused", async () => {
    const email = "sources@example.com";
    const { page } = await open(email, "/new");
    const file = page.locator("input[type=file]:not([webkitdirectory])");
    const publish = async (slug: string) => {
      await untilReview(page);
      await page.getByLabel("Address", { exact: true }).fill(slug);
      await button(page, "Deploy").click();
      await untilOnline(page);
      await page.reload();
      await button(page, "Paste HTML").waitFor();
    };
    await file.setInputFiles({ name: "a.zip", mimeType: "application/zip", buffer: Buffer.from("GIF89a") });
    await page.getByText("This file is not a zip").waitFor();
    await assertAccessible(page, "light");
    await file.setInputFiles({ name: "p.html", mimeType: "text/html", buffer: Buffer.from("\u0089PNG") });
    await page.getByText("p.html is not an HTML page.").waitFor();
    const buffer = await zip({ "index.html": "from a zip" });
    await file.setInputFiles({ name: "a.zip", mimeType: "application/zip", buffer });
    await publish("from-zip");
    await file.setInputFiles({ name: "p.html", mimeType: "text/html", buffer: Buffer.from("<p>a file") });
    await publish("from-html");
    await button(page, "Paste HTML").click();
    await page.getByLabel("The page").fill("no page");
    await button(page, "Use this page").click();
    await page.getByText("A page begins with a tag").waitFor();
    await assertAccessible(page, "dark");
    await page.getByLabel("The page").fill("<p>pasted");
    await button(page, "Use this page").click();
    await publish("from-paste");
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "<p>by a key");
      dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
    })()`);
    await publish("from-key");
    await button(page, "Start from an example").click();
    await assertAccessible(page, "light");
    await page.getByRole("button", { name: /^Guestbook/ }).click();
    await publish("from-example");
    const texts = ["from-zip", "from-html", "from-paste", "from-key", "from-example"].map(
      async (slug) => (await read(email, slug)).text,
    );
    const [zipped, html, pasted, key, example] = await Promise.all(texts);
    assert.deepEqual([zipped, html, pasted, key], ["from a zip", "<p>a file", "<p>pasted", "<p>by a key"]);
    assert.match(String(example), /Guestbook/);
    const { canvases, person } = await listOf(email);
    const id = canvases.find(({ slug }) => slug === "from-example")?.id;
    const { json } = await manage(target, person, "GET", `/api/canvases/${id}`);
    assert.deepEqual(json.runtimePolicy, { collections: { entries: { preset: "contributions" } } });
  });

  it("with the keyboard alone: the picker, the names, the deploy and who may open it", async () => {
    const { page } = await open("keys@example.com", "/new");
    // The listener is there long before the picker opens: the browser is told of it meanwhile.
    const chosen = page.waitForEvent("filechooser");
    const area = page.getByRole("button", { name: /^Drop a folder here/ });
    await area.focus();
    await area.press("Enter");
    const chooser = await chosen;
    await chooser.setFiles(await folder("keys", { "index.html": "<title>Keys</title>" }));
    await untilReview(page);
    const focused = () =>
      page.evaluate<string>("document.activeElement.textContent || document.activeElement.value");
    assert.equal(await focused(), "What will be published");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Keys");
    await page.keyboard.press("Enter");
    await untilOnline(page);
    assert.equal(await focused(), "Keys is online");
    // The address, three buttons, and the choice.
    for (let tabs = 0; tabs < 5; tabs++) await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    assert.ok(await page.getByRole("radio", { name: "Organisation" }).isChecked());
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Save");
    await page.keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();
  });

  it("at 320 pixels and by touch, nothing scrolls sideways in any step", async () => {
    const { page } = await open("phone@example.com", "/new", {
      viewport: { width: 320, height: 640 },
      hasTouch: true,
      isMobile: true,
    });
    const fits = async () =>
      assert.ok(
        await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
        "scrolls sideways",
      );
    await button(page, "Start from an example").waitFor();
    await fits();
    await choose(
      page,
      await folder("a-folder-with-a-very-long-name-that-fills-a-line", {
        "index.html": `<title>${"long".repeat(40)}</title>`,
        [`.${"hidden".repeat(20)}`]: "",
      }),
    );
    await untilReview(page);
    await fits();
    await button(page, "Deploy").tap();
    await untilOnline(page);
    await fits();
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { newAppAttempt, register } from "../sign-in/oauth-app.ts";
import { assertAccessible, noBrowser, openAs, openBrowser, signInAs } from "../support/browser.ts";
import { connectTool } from "../support/connected-tool.ts";
import { startDev } from "../support/engines.ts";
import { upload } from "../support/publish.ts";
import { linkIn, newCanvas, readCanvas } from "./confirming.ts";

/** A name that would be markup, turns the direction of the text, and is one long word. */
const HOSTILE = `<img src=x onerror="document.title='pwned'">\u05d0\u05d1${"W".repeat(40)}`;

describe("the page on which a person confirms what a tool does", { skip: noBrowser }, async () => {
  const { target, env } = await startDev({ after });
  const { base } = target;
  const browser = await openBrowser({ after });
  const email = freshEmail("ada");
  let ada: Person;
  before(async () => {
    ada = await target.signIn(email);
  });

  /** Asks for what `args` says, as a program with a name, and returns the canvas and the address of the question. */
  async function ask(
    tool: "share_canvas" | "delete_canvas",
    args: object,
    clientName = "Claude",
    title = "Minutes",
  ) {
    const canvas = await newCanvas(target, ada);
    await manage(target, ada, "PATCH", `/api/canvases/${canvas.id}`, { title });
    const program = await connectTool(base, ada, { clientName }, env);
    const path = linkIn(await program.call(tool, { canvas: canvas.id, ...args }));
    return { canvas, address: new URL(path, base).href };
  }

  it("comes after the sign-in, is answered by the keyboard alone, and says what to do next", async () => {
    const { canvas, address } = await ask("share_canvas", { access: "public_link" });
    const { page, faults } = await signInAs(browser, address, email);
    await page.getByRole("heading", { name: "Open this canvas to more people?" }).waitFor();
    const focused = () => page.evaluate<string>("document.activeElement.value");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "allow");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "deny");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Allowed and done" }).waitFor();
    await page.getByText("Go back to your assistant").waitFor();
    assert.equal((await readCanvas(target, ada, canvas)).access, "public_link");
    await page.goto(address);
    await page.getByRole("heading", { name: "You have allowed this" }).waitFor();
    assert.deepEqual(faults, []);
  });

  it("does nothing if the person does not allow it", async () => {
    const { canvas, address } = await ask("delete_canvas", {});
    const { page, faults } = await openAs(browser, address, email);
    await page.getByRole("button", { name: "Do not allow" }).click();
    await page.getByRole("heading", { name: "Nothing was done" }).waitFor();
    assert.equal((await readCanvas(target, ada, canvas)).id, canvas.id);
    assert.deepEqual(faults, []);
  });

  it("breaks no rule of accessibility, in light and dark, on a phone, and shows hostile names as text", async () => {
    const people = [
      { email: freshEmail("bob"), role: "editor" },
      { email: freshEmail("guest"), role: "guest" },
    ];
    for (const [scheme, width] of [
      ["light", 1280],
      ["dark", 360],
    ] as const) {
      const { address } = await ask("share_canvas", { access: "public_link", people }, HOSTILE, HOSTILE);
      const { page, faults } = await openAs(browser, address, email);
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await page.locator("bdi", { hasText: "onerror" }).count(), 2);
      await assertAccessible(page, scheme);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      await page.getByText("/auth/invite/").waitFor();
      await assertAccessible(page, scheme);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
      assert.notEqual(await page.title(), "pwned");
      assert.deepEqual(faults, []);
    }
  });

  it("cannot be read or answered by a page of a canvas", async () => {
    const { canvas, address } = await ask("share_canvas", { access: "public_link" });
    const { page } = await openAs(browser, `${base}/healthz`, email);
    const { pathname } = new URL(address);
    const tried = await page.evaluate<number[]>(`Promise.all([
      fetch(${JSON.stringify(pathname)}),
      fetch(${JSON.stringify(pathname)}, { method: "POST", body: new URLSearchParams({ answer: "allow" }) }),
    ]).then((answers) => answers.map(({ status }) => status))`);
    assert.deepEqual(tried, [403, 403]);
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
  });

  it("gives a page of a canvas that opens it no reference to its window", async () => {
    const { canvas, address } = await ask("share_canvas", { access: "public_link" });
    const clientId = await register(base, "Claude", ["http://127.0.0.1:49153/callback"]);
    const consent = await newAppAttempt(base, clientId, { redirect_uri: "http://127.0.0.1:49153/callback" });
    const hostile = await newCanvas(target, ada);
    await upload(target, ada, hostile.id, Buffer.from("<h1>Page</h1>"), "text/html");
    for (const [url, question] of [
      [address, "Open this canvas to more people?"],
      [consent.url.href, "Let “Claude” use Easel for you?"],
    ] as const) {
      const { page, context } = await openAs(browser, `${base}/c/${hostile.slug}/`, email);
      // Opened with the question, and with a page of the canvas that then leads there.
      await page.evaluate(
        `one = open(${JSON.stringify(url)}); two = open("/c/${hostile.slug}/", "two"); two.onload = () => two.location = ${JSON.stringify(url)}; 0`,
      );
      await page.waitForFunction("one.closed && two.closed");
      for (const other of context.pages().filter((each) => each !== page))
        await other.getByRole("heading", { name: question }).waitFor();
      assert.equal(context.pages().length, 3);
    }
    assert.equal((await readCanvas(target, ada, canvas)).access, "private");
  });
});

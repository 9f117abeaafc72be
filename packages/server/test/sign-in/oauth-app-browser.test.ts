import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { listenForBrowser } from "../mcp/ai-tool.ts";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../support/browser.ts";
import { startDev } from "../support/engines.ts";
import { type AppAttempt, grantedBy, listTools, newAppAttempt, redeemAs, register } from "./oauth-app.ts";

const WEB_REDIRECT = "https://bots.acme.test/callback";
const BOT = { clientId: "release-bot", name: "Release bot", redirectUris: [WEB_REDIRECT] };

describe("the question whether a program may be connected, in a browser", { skip: noBrowser }, async () => {
  const { target, env } = await startDev({ after }, { SERVICE_OAUTH_CLIENTS: JSON.stringify([BOT]) });
  const { base } = target;
  const browser = await openBrowser({ after });
  const email = freshEmail("ada");
  let ada: Person;
  before(async () => {
    ada = await target.signIn(email);
    for (const title of ["Tea", "Lunch"]) await manage(target, ada, "POST", "/api/canvases", { title });
  });

  /** Opens the question of a program. */
  const ask = async (
    redirect_uri: string,
    name = "Test tool",
  ): Promise<Awaited<ReturnType<typeof openAs>> & { attempt: AppAttempt }> => {
    const clientId = await register(base, name, [redirect_uri]);
    const attempt = await newAppAttempt(base, clientId, { redirect_uri });
    return { attempt, ...(await openAs(browser, attempt.url.href, email)) };
  };

  it("is answered by the keyboard alone, and the program gets what was chosen", async (t) => {
    const { redirectUrl, comesBack } = await listenForBrowser(t);
    const { page, faults, attempt } = await ask(redirectUrl);
    const focused = () => page.evaluate<string>("document.activeElement.id || document.activeElement.value");
    const press = async (key: string) => {
      await page.keyboard.press(key);
      return focused();
    };
    assert.equal(await press("Tab"), "scope-full");
    assert.equal(await press("ArrowUp"), "scope-deploy");
    assert.equal(await press("Tab"), "canvases-all");
    assert.equal(await press("ArrowDown"), "canvases-made");
    assert.equal(await press("ArrowDown"), "canvases-one");
    assert.equal(await press("Tab"), "canvas");
    await page.keyboard.type("Tea");
    assert.equal(await press("Tab"), "confirms");
    await press("Space");
    // A link to the connected tools is between.
    await press("Tab");
    assert.equal(await press("Tab"), "allow");
    await page.keyboard.press("Enter");
    // Fails if the browser does not get there.
    await page.waitForURL(`${redirectUrl}?**`);
    const back = await comesBack();
    const granted = grantedBy(await redeemAs(attempt, back.searchParams.get("code") ?? ""));
    assert.equal(granted.scope, "deploy");
    assert.equal((await listTools(base, granted.access_token)).status, 200);
    const app = await env.db.get`
      select confirms, title from apps join canvases on canvases.id = canvas_id join users on users.id = apps.user_id
      where email = ${email}`;
    assert.deepEqual(app, { confirms: 0, title: "Tea" });
    assert.deepEqual(faults, []);
  });

  it("breaks no rule of accessibility, in light and dark, on a phone, with a name of one long word", async () => {
    for (const [scheme, width] of [
      ["light", 1280],
      ["dark", 360],
    ] as const) {
      const { page } = await ask("http://127.0.0.1:49153/callback", "W".repeat(60));
      await page.setViewportSize({ width, height: 800 });
      await page.getByLabel("Only one").check();
      await page.getByLabel("Canvas", { exact: true }).waitFor();
      await assertAccessible(page, scheme);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByRole("alert").waitFor();
      assert.equal(await page.getByLabel("Canvas", { exact: true }).getAttribute("aria-invalid"), "true");
      await assertAccessible(page, scheme);
    }
  });

  it("leads to an application, and shows a link for browsers that cannot open it", async () => {
    const { page, context, faults, attempt } = await ask(
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "Cursor",
    );
    const debug = await context.newCDPSession(page);
    await debug.send("Page.enable");
    const { promise: opened, resolve } = Promise.withResolvers<string>();
    debug.on("Page.frameRequestedNavigation", ({ url, reason }) => {
      if (url.startsWith("cursor:")) resolve(`${reason} ${url}`);
    });
    await page.getByRole("button", { name: "Allow" }).click();
    const [reason, url = ""] = (await opened).split(" ");
    assert.match(reason ?? "", /refresh/i);
    const link = page.getByRole("link", { name: "Open the application" });
    assert.equal(await link.getAttribute("href"), url);
    await assertAccessible(page);
    grantedBy(await redeemAs(attempt, new URL(url).searchParams.get("code") ?? ""));
    assert.deepEqual(faults, []);
  });

  it("leads to a web server that the operator has allowed", async () => {
    const { url } = await newAppAttempt(base, "release-bot", { redirect_uri: WEB_REDIRECT });
    const { page, faults } = await openAs(browser, url.href, email);
    const came = page.waitForRequest((request) => request.url().startsWith(WEB_REDIRECT));
    await page.getByRole("button", { name: "Allow" }).click();
    assert.notEqual(new URL((await came).url()).searchParams.get("code"), null);
    assert.deepEqual(faults, []);
  });
});

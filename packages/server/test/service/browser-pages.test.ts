import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { manage, type Stage, share, stage } from "@easel/conformance/fixture";
import { invite } from "@easel/conformance/guest";
import { devTarget } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { callAs, newAttempt } from "../sign-in/oauth-client.ts";
import { assertAccessible, noBrowser, openBrowser } from "../support/browser.ts";
import { publish } from "../support/publish.ts";
import { atEnd, startService, startWithExamples } from "../support/service.ts";
import { enterAs, type Site, startSite } from "../support/site.ts";

const FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
/** Script that returns the focused element: the id of a field, otherwise its text. */
const FOCUSED = "document.activeElement.id || document.activeElement.textContent.trim()";

/** Creates canvases in every state that causes a refusal. */
async function canvases({ target, env }: Site) {
  const first = await stage(target);
  const { people } = first;
  const put = async (access: "private" | "whole_org" | "public_link", password: string | null = null) => {
    const made = await stage(target, { people });
    await publish(target, made, { "index.html": "in", "deep/page.html": "in" });
    await share(target, made, access, {}, { password });
    return made;
  };
  const archived = await put("whole_org");
  await manage(target, people.owner, "PATCH", `/api/canvases/${archived.id}`, { archived: true });
  const expired = await put("whole_org");
  await env.db.run`update canvases set expires_at = ${env.clock() - 1} where id = ${expired.id}`;
  const disabled = await put("whole_org");
  await env.db
    .run`update canvases set disabled_at = ${env.clock()}, disabled_reason = 'Too loud.' where id = ${disabled.id}`;
  await share(target, first, "whole_org", {});
  const [open, own, locked] = [
    await put("whole_org"),
    await put("private"),
    await put("whole_org", "open sesame"),
  ];
  return { people, draft: first, archived, expired, disabled, open, own, locked };
}

/** Types a password on the password page and submits it with Enter, once the field has the focus. */
async function tryPassword(page: Page, password: string): Promise<void> {
  await page.locator("#password:focus").waitFor();
  await page.keyboard.type(password);
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
}

/** Returns the text of the main element of a page, without tags. */
function mainOf(html: string): string {
  const [, main = ""] = /<main[^>]*>([\s\S]*)<\/main>/.exec(html) ?? [];
  return main
    .replaceAll("<wbr>", "")
    .replace(/<[^<>]+>/g, " ")
    .replaceAll("&#39;", "'")
    .replace(/\s+/g, " ");
}

test("pages of refusals say what their visitor may know, and no more", async (t) => {
  const { base, env } = await startService(t, { SERVICE_RATELIMIT_ENABLED: "false" });
  const site: Site = { base, env, target: devTarget(base, "path") };
  const { people, draft, archived, expired, disabled, open, own, locked } = await canvases(site);
  const at = ({ slug }: Pick<Stage, "slug">, path = "") => `${site.base}/c/${slug}/${path}`;
  const inviting = (await invite(site.target, own, "guest@example.com")).url;
  const entered = await fetch(inviting, { redirect: "manual" });
  const guest = entered.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const refusals: [
    person: keyof typeof people | "guest" | null,
    url: string,
    title: string,
    says: RegExp,
    tells?: string,
  ][] = [
    [
      "viewer",
      at(own),
      "Not shared with you",
      RegExp(`share it with ${people.viewer.email}`),
      people.owner.email,
    ],
    ["guest", at(open), "Not shared with you", /invitation is for another canvas/],
    ["viewer", at(locked), "Password needed", /The person who shared Conformance with you/, "Conformance"],
    ["viewer", at(archived), "Archived", /put away/],
    ["viewer", at(expired), "No longer shared", /The time .* is over/],
    ["viewer", at(disabled), "Switched off", /administrator/],
    ["owner", at(disabled), "Switched off", /The reason: Too loud\./],
    ["viewer", at(draft), "Nothing here", /Nothing is published/],
    ["viewer", at(open, "none"), "Nothing here", /no such page/],
    ["viewer", at({ slug: "nothing-here" }), "Nothing here", /nothing at this address/],
    ["viewer", inviting, "Go on as a guest?", /guest@example\.com/],
    [
      null,
      `${site.base}/auth/invite/none`,
      "Invitation no longer valid",
      /Ask the person who sent it for a new one\./,
    ],
    [null, `${site.base}/none`, "Nothing here", /nothing at this address\. Your canvases/],
    ["guest", `${site.base}/tokens`, "Not allowed", /Guests may use only the canvas/],
  ];
  for (const [person, url, title, says, tells] of refusals) {
    const headers =
      person === null
        ? []
        : person === "guest"
          ? [["cookie", guest] as [string, string]]
          : people[person].headers;
    const html = await (
      await fetch(url, { headers: [...headers, ["accept", "text/html"]], redirect: "manual" })
    ).text();
    assert.ok(html.includes(`<title>${title} · Easel</title>`), `${url}: ${html.slice(0, 500)}`);
    assert.match(mainOf(html), says, title);
    assert.equal(html.split("<h1").length, 2, title);
    assert.doesNotMatch(html, /<script/);
    for (const secret of [people.owner.email, "Conformance"])
      assert.equal(html.includes(secret), secret === tells, `${title} and ${secret}`);
  }
});

test("each kind of page is accessible, fits a small screen, and works by keyboard", {
  skip: noBrowser,
}, async (t) => {
  const limits = { SERVICE_RATELIMIT_GATE_PER_MIN: "2", SERVICE_RATELIMIT_LOGIN_PER_MIN: "1000" };
  const site = await startSite(t, "subdomain", {
    settings: { SERVICE_RATELIMIT_ENABLED: "true", ...limits },
  });
  const { people, own, locked } = await canvases(site);
  const context = await (await openBrowser(t)).newContext({ viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  const wrong = async () => {
    await page.goto(site.env.base.canvasUrl(locked.slug));
    await tryPassword(page, "no");
  };
  /** Enters wrong passwords until the rate limit is reached. Tries several times, because a window of the limit may end in between. */
  const tooOften = async () => {
    for (let tries = 0; tries < 5 && !(await page.title()).startsWith("Too many"); tries++) await wrong();
  };
  const { url: question } = await newAttempt(site.base, { host: "x".repeat(64), canvas: own.id });
  const { json: codes } = await callAs(site.target.base, "/oauth/device_authorization", {
    host: "build-box",
  });
  /** Enters the code of a waiting terminal with the keyboard only. */
  const typeCode = (code: unknown) => async () => {
    await page.goto(`${site.base}/oauth/device`);
    await page.locator("#user_code:focus").waitFor();
    await page.keyboard.type(String(code).toLowerCase());
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  };
  /** Creates a token with this name with the keyboard only. The browser accepts a space as a name, and the service does not. */
  const makeToken = (name: string) => async () => {
    await page.goto(`${site.base}/tokens`);
    await page.getByLabel("Name").focus();
    await page.keyboard.type(name || " ");
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  };
  const askToEnd = async () => {
    await page.goto(`${site.base}/tokens`);
    await page.getByText("End CI…").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "End CI" }).waitFor();
  };
  const endToken = async () => {
    await page.getByRole("button", { name: "End CI" }).focus();
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  };
  type View = [go: string | (() => Promise<void>), title: string, says: RegExp, scheme?: "light" | "dark"];
  const anonymous: View[] = [[`${site.base}/auth/login`, "Sign in", /pick anyone/, "light"]];
  const asViewer: View[] = [
    [
      site.env.base.canvasUrl(own.slug),
      "Not shared with you",
      RegExp(`share it with ${people.viewer.email}`),
      "light",
    ],
    [wrong, "Wrong password", /That is not the password/, "dark"],
    [tooOften, "Too many tries", /Wait \d+ seconds/],
    [typeCode("AAAA-AAAA"), "Unknown code", /No terminal waits/, "light"],
    [typeCode(codes.user_code), "Let the command line act for you?", /on build-box act/],
    [`${site.base}/oauth/authorize`, "That did not work", /program is not known/],
  ];
  const asOwner: View[] = [
    [
      question.href,
      "Let the command line act for you?",
      /on x+ act for you\?[\s\S]*canvas Conformance/,
      "dark",
    ],
    [makeToken(""), "No token created", /The token needs a name\./],
    [makeToken("CI"), "Access tokens", /New token: CI[\s\S]*EASEL_TOKEN=easel_pat_/, "dark"],
    [askToEnd, "Access tokens", /Programs that use this token will be refused at once\./, "light"],
    [endToken, "Access tokens", /You have no access tokens\./],
  ];
  for (const [person, views] of [
    [null, anonymous],
    [people.viewer, asViewer],
    [people.owner, asOwner],
  ] as const) {
    await context.clearCookies();
    if (person !== null) await enterAs(context, site, person);
    for (const [go, title, says, scheme] of views) {
      if (typeof go === "string") await page.goto(go);
      else await go();
      assert.equal(await page.title(), `${title} · Easel`);
      assert.match(await page.locator("main").innerText(), says, title);
      assert.equal(await page.locator("h1").count(), 1, title);
      assert.equal(await page.evaluate(FITS), true, `${title} does not fit a small screen`);
      if (scheme !== undefined) await assertAccessible(page, scheme);
    }
  }
});

test("a program on either loopback address gets its code from the browser", {
  skip: noBrowser,
}, async (t) => {
  const site = await startSite(t, "path");
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  await enterAs(page.context(), site, await site.target.signIn("ada@example.com"));
  for (const [address, host] of [
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "[::1]"],
  ] as const) {
    const program = createServer((_request, response) => response.end("Thanks"));
    await once(program.listen(0, address), "listening");
    atEnd(t, async () => {
      program.closeAllConnections();
      program.close();
    });
    const redirect_uri = `http://${host}:${(program.address() as AddressInfo).port}/callback`;
    const { url, state } = await newAttempt(site.base, { redirect_uri });
    await page.goto(url.href);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Thanks").waitFor();
    const back = new URL(page.url());
    assert.equal(back.origin + back.pathname, redirect_uri);
    assert.deepEqual([back.searchParams.get("state"), back.searchParams.get("iss")], [state, site.base]);
    assert.match(back.searchParams.get("code") ?? "", /^[\w-]{43}$/);
  }
});

test("a password can be entered by keyboard alone, and leads to the requested page", {
  skip: noBrowser,
}, async (t) => {
  const site = await startSite(t, "subdomain");
  const { people, locked } = await canvases(site);
  const page = await (await openBrowser(t)).newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text());
  });
  const asked = `${site.env.base.canvasUrl(locked.slug)}deep/page.html?a=1&b=%2F+c`;
  await page.goto(asked);
  await page.getByRole("heading", { name: "Who are you?" }).waitFor();
  while ((await page.evaluate(FOCUSED)) !== "email") await page.keyboard.press("Tab");
  await page.keyboard.type(people.viewer.email);
  await Promise.all([page.waitForURL(asked), page.keyboard.press("Enter")]);

  assert.equal(await page.title(), "Password needed · Easel");
  await tryPassword(page, "open");
  assert.equal(await page.title(), "Wrong password · Easel");
  await page.locator("#password:focus").waitFor();
  const field = page.getByLabel("Password");
  const described = (await field.getAttribute("aria-describedby")) ?? "";
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await page.locator(`#${described}[role=alert]`).textContent(), "That is not the password.");
  assert.equal(await field.inputValue(), "");

  await tryPassword(page, "open sesame");
  assert.deepEqual([page.url(), await page.locator("body").textContent()], [asked, "in"]);
  await page.reload();
  assert.equal(await page.locator("body").textContent(), "in");
  assert.deepEqual(faults, []);
});

test("signing in as a suggested person by keyboard alone returns to the requested page", {
  skip: noBrowser,
}, async (t) => {
  const { base } = await startWithExamples(t);
  const page = await (await openBrowser(t)).newPage();
  await page.goto(`${base}/c/guestbook/`);
  await page.getByRole("button", { name: /editor@example.com/ }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${base}/c/guestbook/`);
  await page.getByText("Signed as").waitFor();
  assert.match((await page.locator("#name").textContent()) ?? "", /Editor/);
});

test("signing out and in again by keyboard alone", { skip: noBrowser }, async (t) => {
  const site = await startSite(t, "subdomain");
  const { people } = await canvases(site);
  const context = await (await openBrowser(t)).newContext();
  await enterAs(context, site, people.viewer);
  const page = await context.newPage();
  await page.goto(`${site.base}/account`);
  const signOut = page.getByRole("button", { name: "Sign out" });
  await signOut.waitFor();
  for (
    let keys = 0;
    (await page.evaluate("document.activeElement.textContent.trim()")) !== "Sign out";
    keys++
  ) {
    assert.ok(keys < 30, "the keyboard does not reach the button");
    await page.keyboard.press("Tab");
  }
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  assert.equal(await page.title(), "Signed out · Easel");
  assert.deepEqual(await context.cookies(), []);
  await page.keyboard.press("Tab");
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  assert.equal(await page.title(), "Sign in · Easel");

  // Removes the browser's own validation of the field, which some browsers do not have.
  await page.evaluate("document.getElementById('email').type = 'text'");
  await page.getByLabel("E-mail address").fill("nobody");
  await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  assert.equal(await page.title(), "Not signed in · Easel");
  await page.locator("#email:focus").waitFor();
  assert.equal(await page.getByLabel("E-mail address").inputValue(), "nobody");
  await page.getByLabel("E-mail address").fill(people.viewer.email);
  await Promise.all([page.waitForURL(`${site.base}/`), page.keyboard.press("Enter")]);
});

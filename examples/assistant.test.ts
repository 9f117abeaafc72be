import assert from "node:assert/strict";
import { after, test } from "node:test";
import { play, type Step } from "@easel/conformance/ai/script";
import { manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { devTarget } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { currentModels } from "../packages/server/src/organisation/ai/prices.ts";
import { startAiProvider } from "../packages/server/test/support/ai-provider.ts";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { fileScope, startExample } from "../packages/server/test/support/service.ts";

const provider = await startAiProvider({ after });
const { base, env } = await startExample({ after }, "assistant", {
  ...provider.settings,
  SERVICE_RATELIMIT_ENABLED: "false",
});
const browser = noBrowser ? undefined : await openBrowser(fileScope());
const ADDRESS = `${base}/c/assistant/`;
await env.db.run`update canvases set ai_audience = 'viewers' where slug = 'assistant'`;

/** A script that collects the page's announcements to screen readers in the global variable `said`. */
const COLLECT = `
    globalThis.said = [];
    addEventListener("DOMContentLoaded", () => {
      const status = document.getElementById("status");
      if (status === null) return;
      const note = () => status.textContent !== "" && said.push(status.textContent);
      new MutationObserver(note).observe(status, { childList: true });
    });`;

let shared: ReturnType<typeof openAs> | undefined;

/** Opens the assistant as Ada, with an empty conversation, and collects its announcements. All tests share the page. */
async function openAssistant() {
  const isFirst = shared === undefined;
  shared ??= openAs(browser ?? assert.fail("no browser"), ADDRESS, "ada@example.com", COLLECT);
  const opened = await shared;
  if (!isFirst) {
    // The page of the test before may still be writing.
    await opened.page.goto("about:blank");
    await env.db.run`delete from kv`;
    await opened.page.setViewportSize({ width: 1280, height: 720 });
    await opened.page.goto(ADDRESS);
  }
  await field(opened.page).waitFor();
  return opened;
}

const field = (page: Page) => page.getByLabel("Your question");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** Finds a text that is visible on the page. Ignores texts in status elements, which exist only for screen readers. */
const seen = (page: Page, text: string) => page.locator("main > :not([role=status])").getByText(text).last();
const retry = (page: Page) => button(page, "Try again");
const ready = (page: Page) => button(page, "Send").waitFor();
const said = (page: Page) => page.evaluate<string[]>("said");

async function ask(page: Page, steps: Step[] | string, mark = "") {
  await field(page).fill(typeof steps === "string" ? steps : play(steps, mark));
  await field(page).press("Enter");
}

const HOSTILE = `<img src=x onerror="document.body.dataset.hacked = 1"><b>bold</b>`;

test("an answer appears in pieces, is announced once, and is there after a reload", {
  skip: noBrowser,
}, async () => {
  const { page, context, faults } = await openAssistant();
  await page.evaluate(`
    globalThis.states = new Set();
    const turns = document.getElementById("turns");
    const note = () => states.add(turns.querySelector(".answer")?.textContent + " " + turns.querySelector(".turn")?.ariaBusy);
    new MutationObserver(note).observe(turns, { childList: true, subtree: true, attributes: true });`);
  const code = `\`\`\`js\nconst tea = "${"x".repeat(200)}";\n\`\`\``;
  await ask(
    page,
    [
      { text: "One " },
      { wait: 50 },
      { text: `**two** ${HOSTILE}` },
      { text: `\n\n${code}\n\nwith \`three\`` },
      { end: { inputTokens: 1234, outputTokens: 56, cacheReadInputTokens: 1000 } },
    ],
    "pieces",
  );
  await seen(page, "2,234 tokens read, 56 written · $0.00016").waitFor();
  assert.deepEqual(await page.evaluate(`["One  true", "One  false"].map((state) => states.has(state))`), [
    true,
    false,
  ]);
  const shown = () =>
    page
      .locator(".answer > *")
      .evaluateAll((blocks) =>
        blocks.map(({ tagName, textContent, children }) => [tagName, textContent, children.length] as const),
      );
  const blocks = [
    ["P", `One two ${HOSTILE}`, 1],
    ["PRE", `const tea = "${"x".repeat(200)}";`, 1],
    ["P", "with three", 1],
  ];
  assert.deepEqual(await shown(), blocks);
  assert.deepEqual(await said(page), [
    "The answer is being written.",
    blocks.map(([, text]) => text).join("\n"),
  ]);
  await assertAccessible(page);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await button(page, "Copy the answer").click();
  await page.waitForFunction("said.at(-1) === 'Copied.'");
  assert.equal(
    await page.evaluate("navigator.clipboard.readText()"),
    `One **two** ${HOSTILE}\n\n${code}\n\nwith \`three\``,
  );

  await page.waitForLoadState("networkidle");
  await page.reload();
  await seen(page, "2,234 tokens read, 56 written").waitFor();
  assert.deepEqual(await shown(), blocks);
  assert.deepEqual(await said(page), []);
  await page.setViewportSize({ width: 320, height: 568 });
  await field(page).fill("x".repeat(200));
  assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
  assert.equal(await page.evaluate("document.body.dataset.hacked"), undefined);
  await ask(page, "And now?");
  await seen(page, "You said: And now?").waitFor();
  const [request] = await provider.log("pieces");
  const { messages, system, model } = request?.body ?? assert.fail("no request");
  assert.equal(messages.length, 1);
  assert.match(JSON.stringify(system), /friendly assistant/);
  assert.equal(await page.evaluate("import('./model.js').then(({ MODEL }) => MODEL)"), model);
  assert.ok(currentModels({ aiProvider: "anthropic" }).includes(model));
  assert.deepEqual(faults, []);
});

test("Stop and Escape close the connection to the provider, and the partial answer stays", {
  skip: noBrowser,
}, async () => {
  const { page, faults } = await openAssistant();
  const closed = (mark: string) =>
    until("the provider's connection is closed", async () =>
      (await provider.log(mark)).every(({ ended }) => ended === "closed"),
    );
  await ask(page, [{ text: "The first half" }, { hang: true }], "stop");
  await seen(page, "The first half").waitFor();
  assert.equal(await button(page, "Send").isVisible(), false);
  await button(page, "Stop").focus();
  await page.keyboard.press("Enter");
  await ready(page);
  assert.equal((await provider.log("stop")).length, 1);
  await closed("stop");
  await seen(page, "Stopped").waitFor();
  await page.waitForFunction("document.activeElement.id === 'send'");
  assert.deepEqual(await said(page), ["The answer is being written.", "Stopped."]);

  await ask(page, [{ text: "The second half" }, { hang: true }], "escape");
  await seen(page, "The second half").waitFor();
  // A question waits in the field while an answer is being written.
  await ask(page, "Not yet");
  assert.equal(await field(page).inputValue(), "Not yet");
  await page.keyboard.press("Escape");
  await ready(page);
  await closed("escape");
  await page.waitForLoadState("networkidle");
  await page.reload();
  await seen(page, "The first half").waitFor();
  assert.equal(await page.getByText("Stopped", { exact: true }).count(), 2);
  assert.equal(await retry(page).count(), 1);

  assert.deepEqual(faults, []);
});

test("an answer that a reload cuts off, before or after its first piece, is shown as cut off", {
  skip: noBrowser,
}, async () => {
  const { page, faults } = await openAssistant();
  const broken = page.getByText("The answer broke off before it was complete.", { exact: true });
  for (const [index, text] of [[], [{ text: "Cut off" }]].entries()) {
    const mark = `reload ${index}`;
    const stored = page.waitForResponse((response) => {
      const request = response.request();
      return request.method() === "PUT" && (request.postData() ?? "").includes(mark);
    });
    await ask(page, [...text, { hang: true }], mark);
    assert.equal((await stored).ok(), true);
    if (text.length > 0) await page.locator(".answer").getByText("Cut off", { exact: true }).waitFor();
    await page.reload();
    await broken.nth(index).waitFor();
    await until("the provider's connection is closed", async () =>
      (await provider.log(mark)).every(({ ended }) => ended === "closed"),
    );
  }
  assert.deepEqual(faults, []);
});

/** Runs a function while an instance setting has a value, and then restores the default. */
async function setting(name: string, value: unknown, run: () => Promise<void>) {
  await env.db.run`insert into instance_settings (name, value) values (${name}, ${JSON.stringify(value)})`;
  await run();
  await env.db.run`delete from instance_settings where name = ${name}`;
}

/** Runs a function while the switch of a capability is off. */
async function withoutCapability(name: "ai" | "kv", run: () => Promise<void>) {
  const turn = (on: number) =>
    name === "ai"
      ? env.db.run`update canvases set ai = ${on} where slug = 'assistant'`
      : env.db.run`update canvases set kv = ${on} where slug = 'assistant'`;
  await turn(0);
  await run();
  await turn(1);
}

test("a failure has its message, and trying again works", { skip: noBrowser }, async () => {
  const { page, context, faults } = await openAssistant();
  const fails = async (message: string, question: Step[] | string = "Hello") => {
    await ask(page, question);
    await seen(page, message).waitFor();
    await ready(page);
    assert.equal((await said(page)).at(-1)?.includes(message), true, message);
  };
  await fails("The AI provider failed.", [{ text: "What came" }, { cut: true }]);
  await seen(page, "What came").waitFor();
  await fails("The answer is empty.", [{ end: {} }]);
  await setting("ai.userDailyUsd", 0, () => fails("Your AI allowance for today is used up."));
  await setting("ai.models", [], () => fails("The model claude-haiku-5-5 is not allowed here."));
  await page.route("**/ai/chat", (route) =>
    route.fulfill({ body: 'data: {"type":"delta","text":"Half"}\n\n' }),
  );
  await fails("The answer broke off before it was complete.");
  await seen(page, "Half").waitFor();
  await page.unrouteAll();
  await context.setOffline(true);
  await fails("The service could not be reached.", "Are you there?");
  await assertAccessible(page, "dark");
  await context.setOffline(false);

  assert.equal(await retry(page).count(), 1);
  await retry(page).click();
  await seen(page, "You said: Are you there?").waitFor();
  await ready(page);
  assert.equal(await retry(page).count(), 0);
  assert.deepEqual(faults, []);
});

test("every refusal of the service has a message", async () => {
  const { href } = new URL("assistant/messages.js", import.meta.url);
  const { explain }: { explain(error: object): string } = await import(href);
  for (const [error, message] of [
    [{ code: "AI_UPSTREAM_ERROR", hint: "The AI provider is busy." }, /^The AI provider is busy\.$/],
    [{ code: "QUOTA_EXCEEDED", scope: "user_daily" }, /^Your AI allowance for today/],
    [{ code: "QUOTA_EXCEEDED", scope: "canvas_monthly" }, /allowance of this page for this month/],
    [{ code: "QUOTA_EXCEEDED", scope: "instance_monthly" }, /allowance of this service for this month/],
    [{ code: "MODEL_NOT_ALLOWED" }, /^The model claude-haiku-5-5 is not allowed here\./],
    [{ code: "RATE_LIMITED" }, /^These were many questions in a short time\./],
    [{ code: "GUEST_AI_CAP" }, /^Your AI allowance as a guest is used up\./],
    [{ code: "CAPABILITY_DISABLED", message: "ai is switched off for this canvas." }, /^ai is switched off/],
    [{ code: "ANY", status: 0 }, /^The service could not be reached\./],
    [{}, /^A part of this page is missing\./],
  ] as const)
    assert.match(explain(error), message);
});

test("a viewer who may not ask sees why, and can ask once it is allowed", { skip: noBrowser }, async () => {
  await env.db.run`update canvases set ai_audience = 'editors' where slug = 'assistant'`;
  const { page, faults } = await openAs(browser ?? assert.fail(), ADDRESS, "viewer@example.com");
  const note = page.getByRole("alert").filter({ hasText: "Only the owner and the editors" });
  await note.waitFor();
  assert.equal(await field(page).isVisible(), false);

  await env.db.run`update canvases set ai_audience = 'viewers' where slug = 'assistant'`;
  await withoutCapability("ai", async () => {
    await button(page, "Check again").click();
    await page.getByRole("alert").filter({ hasText: "ai is switched off for this canvas." }).waitFor();
  });
  await button(page, "Check again").click();
  await ask(page, "Thank you");
  await seen(page, "You said: Thank you").waitFor();
  assert.deepEqual(faults, []);
});

test("a guest sees that guests may not ask, and can ask within a cap once it is allowed", {
  skip: noBrowser,
}, async () => {
  const target = devTarget(base, "path");
  const owner = await target.signIn("dev@example.com");
  const canvas = await env.db.get<{ id: string }>`select id from canvases where slug = 'assistant'`;
  const guest = { email: "guest@example.org", name: "A guest" };
  const { json } = await manage(target, owner, "POST", `/api/canvases/${canvas?.id}/invites`, guest);
  const page = await (browser ?? assert.fail()).newPage();
  await page.goto(String(json.url));
  await page.getByRole("alert").filter({ hasText: "Guests may not ask here." }).waitFor();
  await env.db.run`update canvases set guest_ai = 1 where slug = 'assistant'`;
  await button(page, "Check again").click();
  await ask(page, "Good day");
  await seen(page, "You said: Good day").waitFor();
  await ready(page);
  await setting("ai.guestUsd", 0, async () => {
    await ask(page, "And again");
    await seen(page, "Your AI allowance as a guest is used up.").waitFor();
  });
});

test("without a key, the page says how an administrator sets it", { skip: noBrowser }, async (t) => {
  const off = await startExample(t, "assistant");
  const address = `${off.base}/c/assistant/`;
  const { page, faults } = await openAs(browser ?? assert.fail(), address, "dev@example.com");
  await page.getByRole("alert").getByText("SERVICE_AI_API_KEY=… npm start").waitFor();
  await page.getByText("This is an example of a conversation.").waitFor();
  assert.equal(await page.locator(".turn:visible").count(), 2);
  assert.equal(await button(page, "New conversation").isVisible(), false);
  assert.equal(await field(page).isVisible(), false);
  assert.deepEqual(faults, []);
});

test("a new conversation removes the old one, also while an answer is being written", {
  skip: noBrowser,
}, async () => {
  const { page, faults } = await openAssistant();
  await ask(page, "Remember this");
  await seen(page, "You said: Remember this").waitFor();
  await ready(page);
  const stored = Promise.withResolvers<void>();
  await page.route("**/kv/user/*", async (route) => {
    if (route.request().method() === "PUT") await stored.promise;
    await route.continue();
  });
  await ask(page, [{ text: "For ever" }, { hang: true }], "anew");
  await seen(page, "For ever").waitFor();
  await button(page, "New conversation").click();
  await assertAccessible(page);
  await button(page, "Keep this one").click();
  await seen(page, "For ever").waitFor();
  await button(page, "New conversation").click();
  await button(page, "Begin anew").click();
  await page.getByText("What would you like to know?").waitFor();
  await page.waitForFunction("document.activeElement.id === 'question'");
  await until("the provider is stopped", async () => (await provider.log("anew"))[0]?.ended === "closed");
  // The last turn is removed after it has been stored.
  const put = page.waitForResponse((response) => response.request().method() === "PUT");
  stored.resolve();
  await put;
  await until("the turns are removed", () =>
    page.evaluate("easel.kv.user.list().then(({ entries }) => entries.length === 0)"),
  );
  assert.equal((await said(page)).at(-1), "A new conversation.");
  await button(page, "Write a short poem about the moon").click();
  await page.keyboard.press("Enter");
  await seen(page, "You said: Write a short poem about the moon").waitFor();
  await ready(page);
  assert.equal(await page.locator(".turn").count(), 1);
  assert.deepEqual(faults, []);
});

test("a long conversation is sent without its beginning, and only the newest 60 turns are kept", {
  skip: noBrowser,
}, async () => {
  const { page, faults } = await openAssistant();
  await page.evaluate(`Promise.all(Array.from({ length: 61 }, (_, index) =>
    easel.kv.user.set("turn:" + (1_700_000_000_000 + index), {
      question: "Question " + index, answer: index < 55 ? "Short" : '"'.repeat(25_000), state: "done", problem: "",
    })))`);
  await page.reload();
  await page.getByText("Question 60", { exact: true }).waitFor();
  await ask(page, [{ text: "Done" }, { end: {} }], "long");
  await page.locator(".cut:visible").waitFor();
  await seen(page, "12 tokens read").waitFor();
  const [request] = await provider.log("long");
  const { messages } = request?.body ?? assert.fail("no request");
  // Each of these answers has 50 KB in JSON, so that five of them fit into a request.
  assert.equal(messages.length, 2 * 5 + 1);
  assert.match(JSON.stringify(messages[0]), /Question 56/);
  assert.equal(await page.locator(".turn:has(.cut:visible) .question").innerText(), "Question 56");
  await until("the oldest turns are removed", async () => (await page.locator(".turn").count()) === 60);
  const { entries } = await page.evaluate<{ entries: { key: string }[] }>(
    "easel.kv.user.list({ limit: 1000 })",
  );
  assert.equal(entries.length, 60);
  assert.equal(entries[0]?.key, "turn:1700000000002");
  assert.deepEqual(faults, []);
});

test("the page scrolls with an answer only while the reader is at the end of the page", {
  skip: noBrowser,
}, async () => {
  const { page, faults } = await openAssistant();
  const line = { text: "A line\n\n", times: 40 };
  await ask(page, [line, { text: "First end" }, { end: {} }]);
  const atEnd = "document.documentElement.scrollHeight - innerHeight - scrollY < 2";
  await seen(page, "12 tokens read").waitFor();
  await page.waitForFunction(atEnd);
  assert.equal(await button(page, "To the end").isVisible(), false);
  await field(page).fill("A line\n".repeat(5));
  await page.waitForFunction(atEnd);

  await ask(page, [{ ...line, everyMs: 15 }, { text: "Second end" }, { end: {} }]);
  await seen(page, "A line").waitFor();
  await page.evaluate("scrollTo(0, 100)");
  await field(page).pressSequentially("Next");
  await page.getByText("Second end", { exact: true }).waitFor();
  await ready(page);
  assert.equal(await page.evaluate("scrollY"), 100);
  // The form in view does not cover the focus.
  await page.evaluate(`{
    const copy = document.querySelector(".copy");
    scrollBy(0, copy.getBoundingClientRect().bottom - innerHeight + 30);
    copy.focus();
  }`);
  const [above, below] = await Promise.all([
    button(page, "Copy the answer").first().boundingBox(),
    field(page).boundingBox(),
  ]);
  assert.ok(above !== null && below !== null && above.y + above.height < below.y);
  await button(page, "To the end").click();
  await page.waitForFunction(atEnd);
  await button(page, "To the end").waitFor({ state: "hidden" });
  assert.deepEqual(faults, []);
});

test("while kv is switched off, the page answers and says that it keeps nothing", {
  skip: noBrowser,
}, async () => {
  await withoutCapability("kv", async () => {
    const { page, faults } = await openAssistant();
    const warning = page.getByRole("alert").filter({ hasText: "This conversation is not kept." });
    await warning.waitFor();
    await ask(page, "Hello");
    await seen(page, "You said: Hello").waitFor();
    await page.getByRole("alert").filter({ hasText: "This answer is not kept." }).waitFor();
    assert.deepEqual(faults, []);
  });
});

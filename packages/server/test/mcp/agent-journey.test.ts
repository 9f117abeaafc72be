import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { send } from "@easel/conformance/http";
import { PATIENCE_MS } from "@easel/conformance/patience";
import { type Client, UnauthorizedError } from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import { startWithProvider } from "../sign-in/oidc-provider.ts";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { NAMED, startService } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";
import { allowMore, connectBySignIn, listenForBrowser, ToolSignIn } from "./ai-tool.ts";
import { PersonInBrowser, type SignInMode } from "./person-in-browser.ts";

const ADMIN = "root@acme.test";
const ADA = "ada@acme.test";
const BEN = "ben@acme.test";

const SETTINGS = { SERVICE_ADMIN_EMAILS: ADMIN };

/**
 * The services on which the agent works: people sign in by the form of dev mode, or at a real OpenID Connect provider, and canvases are below a path or on hosts of
 * their own.
 */
const SERVICES: Record<
  string,
  { mode: SignInMode; start: (t: TestContext) => Promise<{ base: string; env: TestEnv }> }
> = {
  "in dev mode": { mode: "dev", start: (t) => startService(t, SETTINGS) },
  "with a provider and canvases on their own hosts": {
    mode: "oidc",
    start: (t) =>
      startWithProvider(t, { settings: { ...SETTINGS, SERVICE_URL_MODE: "subdomain" }, hostname: NAMED }),
  },
};

/** The page of the app, with a mistake: the element has another id than the one that the script looks for. */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>To-do</title>
<link rel="stylesheet" href="/sdk/easel.css">
<script src="/sdk/v1.js"></script>
<main>
<h1>To-do</h1>
<form id="add"><input name="what" aria-label="What is to be done?" required><button>Add</button></form>
<ul id="list"></ul>
</main>
<script type="module" src="app.js"></script>
`;

const SCRIPT = `const todos = easel.kv.collection("todos");
const list = document.querySelector("#todo-list");
list.textContent = "";

function row({ id, value }) {
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: value.done });
  box.onchange = () => todos.update(id, { ...value, done: box.checked });
  const label = document.createElement("label");
  label.append(box, " ", value.what);
  const item = document.createElement("li");
  item.append(label);
  return item;
}

todos.live({ orderBy: "createdAt" }, (records) => list.replaceChildren(...records.map(row)));

add.onsubmit = async (event) => {
  event.preventDefault();
  await todos.create({ what: add.elements.what.value, done: false });
  add.reset();
};
`;

const SETTINGS_FILE = JSON.stringify({
  title: "To-do",
  capabilities: ["kv", "realtime"],
  policy: { collections: { todos: { preset: "collaborative" } } },
});

/** What a tool answers: the text that the model reads, and the same as an object. */
interface Answer {
  isError?: boolean;
  text: string;
  content: Record<string, unknown>;
}

/** Calls a tool as an agent does: with what it knows from its description. */
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const {
    isError = false,
    content,
    structuredContent = {},
  } = await client.callTool({ name, arguments: args });
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return { isError, text, content: structuredContent as Record<string, unknown> };
}

/** Calls a tool that must succeed. */
async function use(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const answer = await call(client, name, args);
  assert.equal(answer.isError, false, `${name}: ${answer.text}`);
  return answer;
}

/** Finds the address of the tools from the address of the service alone. */
async function findTools(base: string): Promise<string> {
  const { text } = await send(base, { method: "GET", path: "/llms.txt" });
  return text.split(/\s/).find((word) => word.endsWith("/mcp")) ?? assert.fail(text);
}

/** Opens an address in the agent's own browser, which has no session of anybody. */
async function openForAgent(browser: Browser, address: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  return page;
}

/** Asks for the errors of a canvas until there are some: the page gathers them for a second before it reports them. */
async function errorsOf(client: Client, canvas: string): Promise<Answer> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await use(client, "read_errors", { canvas });
    if ((answer.content.entries as object[]).length > 0 || Date.now() > deadline) return answer;
    await sleep(200);
  }
}

for (const [where, { mode, start }] of Object.entries(SERVICES))
  test(`an agent that knows only the address makes, repairs and shares a to-do app, ${where}`, {
    skip: noBrowser,
  }, async (t) => {
    const { base, env } = await start(t);
    const app = env.base.canvasUrl("todo");
    const browser = await openBrowser(t);
    const ada = await PersonInBrowser.open(browser, ADA, mode);

    // It finds the tools, registers itself, and Ada allows it in her browser.
    const address = await findTools(base);
    assert.equal(address, `${base}/mcp`);
    const { redirectUrl, comesBack } = await listenForBrowser(t);
    const signIn = new ToolSignIn(redirectUrl, { name: "Sketch agent" });
    const client = await connectBySignIn(t, address, signIn, async (asked) => {
      const page = await ada.visit(asked.href);
      await page.getByRole("heading", { name: /^Let .Sketch agent. use Easel for you/ }).waitFor();
      assert.ok(await page.getByRole("radio", { name: "Make and change" }).isChecked());
      await page.getByRole("radio", { name: "Only those that this tool makes" }).check();
      await page.getByRole("button", { name: "Allow" }).click();
      return comesBack();
    });

    // It reads what to know before it writes a page.
    const guide = await use(client, "guide", { topic: "start" });
    assert.match(guide.text, /easel\.json/);
    assert.match((await use(client, "guide", { topic: "sdk" })).text, /kv\.collection/);

    // It makes the app, as a preview that nobody else sees.
    const made = await use(client, "deploy_canvas", {
      title: "To-do",
      slug: "todo",
      files: [
        { path: "index.html", text: PAGE },
        { path: "app.js", text: SCRIPT },
        { path: "easel.json", text: SETTINGS_FILE },
      ],
      publish: false,
    });
    assert.deepEqual([made.content.published, made.content.warnings], [false, []]);

    // It looks at the page in its own browser, and learns what is wrong with it.
    const draft = await openForAgent(browser, String(made.content.preview_url));
    await draft.getByRole("heading", { name: "To-do" }).waitFor();
    const errors = await errorsOf(client, "todo");
    assert.match(errors.text, /app\.js/);
    assert.match(errors.text, /null/);

    // It repairs the line, and publishes.
    const mended = await use(client, "deploy_canvas", {
      canvas: "todo",
      files: [{ path: "app.js", edits: [{ old: '"#todo-list"', new: '"#list"' }] }],
    });
    assert.deepEqual([mended.content.published, mended.content.url], [true, app]);

    // Ada uses the app.
    const page = await ada.visit(app);
    await page.getByLabel("What is to be done?").fill("Buy oat milk");
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByLabel("Buy oat milk").waitFor();

    // Sharing needs more than she has allowed: the client asks for it, and she allows it.
    const share = () =>
      call(client, "share_canvas", { canvas: "todo", people: [{ email: BEN, role: "editor" }] });
    await assert.rejects(share, UnauthorizedError);
    await allowMore(client, signIn, async (asked) => {
      const page = await ada.visit(asked.href);
      await page.getByRole("radio", { name: "Everything" }).check();
      await page.getByRole("radio", { name: "Only those that this tool makes" }).check();
      await page.getByRole("button", { name: "Allow" }).click();
      return comesBack();
    });

    // Even so Ben gets in only when Ada has confirmed it herself, by a link that the agent shows to her.
    const refused = await share();
    assert.equal(refused.isError, true);
    assert.match(refused.text, /^CONFIRMATION_REQUIRED: /);
    assert.doesNotMatch((await use(client, "get_canvas", { canvas: "todo" })).text, /1 person/);
    const link = new RegExp(`${base}/confirm/\\S+`).exec(refused.text)?.[0] ?? assert.fail(refused.text);
    const question = await ada.visit(link);
    await question.getByText(BEN).first().waitFor();
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    await question.getByRole("heading", { name: "Allowed and done" }).waitFor();
    assert.match(
      (await use(client, "get_canvas", { canvas: "todo" })).text,
      /opens for the owner and 1 person/,
    );

    // Ben opens the app, and ticks the task off.
    const ben = await PersonInBrowser.open(browser, BEN, mode);
    const his = await ben.visit(app);
    await his.getByLabel("Buy oat milk").check();
    await ada.visit(app);
    await ada.page.locator("input:checked").waitFor();
    const done = { canvas: "todo", what: "records", name: "todos", where: { "value.done": true } };
    assert.match((await use(client, "read_data", done)).text, /Buy oat milk/);

    // The audit log says which tool acted for whom.
    const root = await PersonInBrowser.open(browser, ADMIN, mode);
    await root.visit(`${base}/`);
    const { entries } = (await root.api(`${base}/api/admin/audit`)) as {
      entries: { act: string; actor: { email: string }; via: { client: string; tool: string } | null }[];
    };
    const viaTool = entries.filter(({ via }) => via !== null);
    assert.deepEqual(new Set(viaTool.map(({ actor }) => actor.email)), new Set([ADA]));
    assert.deepEqual(new Set(viaTool.map(({ via }) => via?.client)), new Set(["Sketch agent"]));
    assert.deepEqual(
      new Set(viaTool.map(({ via }) => via?.tool)),
      new Set(["deploy_canvas", "preview_url", "share_canvas"]),
    );
  });

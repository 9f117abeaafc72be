import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { HOSTILE } from "../support/two-versions.ts";

const DAY_MS = 86_400_000;

describe("the screen of the activity", { skip: noBrowser }, async () => {
  const { target, env, open } = await startDashboard({ after });
  const ada = await target.signIn("ada@acme.test", "Ada");
  const bo = await target.signIn("bo@acme.test", "Bo");
  const cy = await target.signIn("cy@acme.test", HOSTILE);

  async function make(title: string): Promise<string> {
    const { json } = await manage(target, ada, "POST", "/api/canvases", { title });
    return String(json.id);
  }
  const change = async (who: typeof ada, id: string, method: string, path: string, body?: object) =>
    assert.ok((await manage(target, who, method, `/api/canvases/${id}${path}`, body)).status < 300, path);
  /** Makes a canvas with a collection in which Bo, a viewer, adds nothing, and Cy, an editor, has changed the tags. */
  async function makePoll(): Promise<string> {
    const id = await make("Poll");
    await change(ada, id, "PATCH", "/capabilities", {
      backendEnabled: true,
      expectedRuntimePolicy: null,
      runtimePolicy: { collections: { ideas: { preset: "managed" } } },
    });
    const people = [
      { email: bo.email, role: "viewer" },
      { email: cy.email, role: "editor" },
    ];
    await change(ada, id, "PUT", "/sharing", { people });
    await change(cy, id, "PATCH", "", { tags: [HOSTILE] });
    return id;
  }
  const call = (who: typeof ada, id: string, method: string, path: string, body?: object) =>
    manage(target, who, method, `/api/canvases/${id}/runtime${path}`, body);
  const screen = (id: string, query = "") => `/canvases/${id}/activity${query}`;
  const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent");
  const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
  async function assertNarrow(page: Page) {
    await page.setViewportSize({ width: 320, height: 700 });
    await until("nothing scrolls sideways", () =>
      page.evaluate<boolean>("document.documentElement.scrollWidth <= 320"),
    );
    await page.setViewportSize({ width: 1280, height: 720 });
  }

  it("an owner learns by keyboard who changed what, why Bo was refused, and what is left of each limit", async () => {
    const id = await makePoll();
    assert.equal((await call(bo, id, "POST", "/collections/ideas", { text: "x" })).status, 403);
    assert.equal((await call(cy, id, "GET", "/collections/nothing")).status, 404);
    const { page, context } = await open(ada.email, `/canvases/${id}`);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("heading", { name: "Poll", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("who changed");
    await page.getByRole("menuitem", { name: "Activity" }).waitFor();
    await page.keyboard.press("Enter");

    await row(page, "set its tags to").getByText(HOSTILE).waitFor();
    await row(page, "You changed the sharing: 1 editor and 1 viewer by name.").waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const details = page
      .getByRole("region")
      .filter({ has: page.getByRole("link", { name: "Who may open it now" }) });
    await details.waitFor();
    assert.match(await focused(page), /^You changed the sharing/);
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    await until("the row has the focus", async () =>
      (await focused(page)).includes("You changed the sharing"),
    );

    await page.getByRole("link", { name: "Errors" }).press("Enter");
    await row(page, "PERMISSION_DENIED").waitFor();
    await row(page, "COLLECTION_NOT_CONFIGURED").waitFor();
    const who = page.getByRole("combobox", { name: "Who" });
    await who.focus();
    await page.keyboard.type("Bo");
    await row(page, "COLLECTION_NOT_CONFIGURED").waitFor({ state: "detached" });
    assert.match(page.url(), /view=calls&person=/);
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Why .Bo. was refused$/ }).waitFor();
    await page.getByText("Only the owner and editors add records.").waitFor();
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");
    await page.getByText("Request id").press("Enter");
    await page.getByRole("button", { name: "Copy the request id" }).waitFor();
    await page.getByRole("button", { name: "Copy for an assistant" }).press("Enter");
    await page.getByText("Copied the message for an assistant.").waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    assert.match(copied, /- Call: POST \/collections\/ideas\n- Answer: 403 PERMISSION_DENIED/);
    assert.match(copied, /`collections\.ideas`: \{"preset":"managed"\}[\s\S]*\/skill\.md\n$/);
    assert.doesNotMatch(copied, /Bo|acme\.test/);

    await page.getByRole("link", { name: "Use and limits" }).press("Enter");
    const records = page.getByRole("meter", { name: "Records" });
    await records.waitFor();
    assert.equal(await records.getAttribute("aria-valuetext"), "0 of 10,000");
    await page.getByText("New records are refused; those that are there can still be changed.").waitFor();
    await page.getByText(/^No AI was used from/).waitFor();
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");
    await assertNarrow(page);
  });

  it("new calls appear while somebody follows, and are told; a link to a call opens it", async () => {
    const id = await makePoll();
    const { page } = await open(ada.email, screen(id, "?view=calls"));
    await page.getByText("Nothing went wrong").waitFor();
    await assertAccessible(page, "light");
    await call(cy, id, "GET", "/collections/nothing");
    await page.getByText("Follow new ones").click();
    await row(page, "COLLECTION_NOT_CONFIGURED").waitFor();
    await page.getByRole("status").filter({ hasText: "1 new entry since you began to follow." }).waitFor();
    assert.match(page.url(), /follow=true/);
    await row(page, "COLLECTION_NOT_CONFIGURED").click();
    await page.getByRole("heading", { name: /^Why .* was refused$/ }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: /^Why .* was refused$/ }).waitFor();
    await assertNarrow(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await until("the link to the open screen is in view", async () => {
      const place = await page.getByRole("link", { name: "Activity" }).boundingBox();
      return place !== null && place.x >= 0 && place.x + place.width <= 390;
    });
    await page.getByRole("button", { name: "Close the details" }).click();
    await row(page, "COLLECTION_NOT_CONFIGURED").waitFor();
    await assertAccessible(page, "dark");
    await row(page, "COLLECTION_NOT_CONFIGURED").click();
    await page.getByRole("link", { name: "Its entry of the policy, “nothing”" }).click();
    await page.getByText("The policy has no entry “nothing”, which the page uses.").waitFor();
    await page.getByRole("button", { name: "Add it" }).click();
    assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "nothing");
    await page.goto(`${env.base.origin}/canvases/${id}/backend?entry=collections.ideas`);
    await page.getByRole("article", { name: "ideas" }).waitFor();
    await until("the entry has the focus", async () => (await focused(page)).startsWith("ideas"));
    await page.goto(env.base.origin + screen(id, "?view=calls&code=KEY_LIMIT&person=toString&open=x"));
    await page.getByText("No such entry").waitFor();
    await page.getByRole("button", { name: "All entries" }).press("Enter");
    await row(page, "COLLECTION_NOT_CONFIGURED").waitFor();
  });

  it("errors of pages are told with their place, as text", async () => {
    const id = await makePoll();
    const errors = [
      {
        code: "SCRIPT_ERROR",
        message: HOSTILE,
        page: `/${HOSTILE}`,
        source: "/app.js",
        line: 3,
        column: 14,
        count: 2,
      },
      { code: "LOAD_FAILED", message: "<img> did not load: /cup.png", page: "/", preview: true },
    ];
    assert.equal((await call(cy, id, "POST", "/page-errors", { errors })).status, 204);
    const { page } = await open(ada.email, `/canvases/${id}`);
    await page.getByText("What went wrong in the last day:").waitFor();
    await page.getByRole("link", { name: "SCRIPT_ERROR" }).click();
    await row(page, HOSTILE).getByText("2 ×").waitFor();
    assert.equal(await row(page, "LOAD_FAILED").count(), 0);
    await row(page, "2 ×").click();
    await page.getByRole("heading", { name: "A script of the page failed" }).waitFor();
    const facts = page.locator(".call-facts");
    await facts.getByText("/app.js, line 3, column 14").waitFor();
    await facts.getByText("2 times").waitFor();
    assert.equal(await facts.getByText(HOSTILE).count(), 3);
    await page.getByText("Correct it at the place that is named").waitFor();
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");
    await assertNarrow(page);
    await page.getByRole("combobox", { name: "Code" }).selectOption("LOAD_FAILED");
    await row(page, "<img> did not load: /cup.png").click();
    await page.getByRole("heading", { name: "A file of the page did not load" }).waitFor();
    await facts.getByText("/, in a preview").waitFor();
  });

  it("figures from day to day are bars with a table, in the days of the address", async () => {
    const id = await make("Figures");
    const at = Date.UTC(2026, 0, 7, 12);
    for (const [index, model] of ["small", HOSTILE].entries())
      await env.db
        .run`insert into ai_requests (id, canvas_id, user_id, guest, model, state, started_at, ended_at,
          reserved, cost, input_tokens, output_tokens)
        values (${`r-${index}`}, ${id}, 'u', 0, ${model}, 'done', ${at + index * DAY_MS}, ${at}, 0,
          ${(index + 1) * 1_000_000_000}, 1000, 200)`;
    await env.db.run`insert into connection_calls (canvas_id, profile, day, outcome, up_to_ms, calls, ms)
      values (${id}, 'maps', ${Math.floor(at / DAY_MS)}, '2xx', 20, 30, 300),
        (${id}, 'maps', ${Math.floor(at / DAY_MS)}, 'UPSTREAM_TIMEOUT', 10000, 2, 20000)`;
    const { page } = await open(ada.email, screen(id, "?view=use&from=2026-01-01&to=2026-01-31"));
    const models = page.getByRole("table", { name: "Cost of AI by model" });
    await models.getByRole("row", { name: /^small 1 1,200 \$/ }).waitFor();
    await models.getByText(HOSTILE).waitFor();
    await page
      .getByRole("table", { name: "Calls through Connections" })
      .getByText("UPSTREAM_TIMEOUT 2")
      .waitFor();
    const chart = page.getByRole("img", {
      name: /^Cost of AI by day, 1 Jan to 31 Jan\. The most is \$.* on 8 Jan\.$/,
    });
    assert.equal(await chart.locator("g").count(), 31);
    await page.getByText("As a table").press("Enter");
    await page
      .getByRole("table", { name: "Cost of AI by day" })
      .getByRole("row", { name: /^8 Jan 2026/ })
      .waitFor();
    await assertAccessible(page, "light");
    await assertAccessible(page, "dark");
    await assertNarrow(page);
    await page.getByLabel("To", { exact: true }).fill("2026-01-07");
    await models.getByText(HOSTILE).waitFor({ state: "detached" });
    assert.match(page.url(), /to=2026-01-07/);
    await page.getByLabel("From", { exact: true }).fill("2026-01-09");
    await page.getByRole("alert").getByText("must be 1 to 400 days").waitFor();
    await assertAccessible(page, "light");
  });

  it("2,000 changes are read as they are needed, and the first one is reached by the keyboard", async () => {
    const id = await make("Long");
    const { id: actor } = (await manage(target, ada, "GET", "/api/me")).json;
    await env.db
      .run`with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 1999)
      insert into audit (id, at, actor_id, actor_email, act, canvas_id, target, address, details)
      select ${`0-${id}-`} || (10000 + n), n, ${String(actor)}, 'ada@acme.test', 'canvas.update', ${id}, null, '::1',
        '{"title":"Title ' || n || '"}' from numbers`;
    const { page } = await open(ada.email, screen(id));
    await row(page, "You made this canvas.").waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("Control+End");
    await until("the last row has the focus", async () =>
      (await focused(page)).includes("“\u2068Title 0\u2069”"),
    );
    assert.ok((await page.getByRole("row").count()) <= 60);
    await page.getByRole("combobox", { name: "Which changes" }).selectOption("data");
    await page.getByText("Nobody has changed anything of this kind").waitFor();
    await assertAccessible(page, "light");
    await page.getByRole("button", { name: "All changes" }).press("Enter");
    await row(page, "You made this canvas.").waitFor();
  });

  it("a list that cannot be read says why, and is read again", async () => {
    const id = await make("Refused");
    const { page, context } = await open(ada.email, screen(id));
    await row(page, "You made this canvas.").waitFor();
    const body = { code: "DISABLED", message: "Not now.", requestId: "req-7" };
    await context.route(/\/api\/.*\/(activity|log)\?/, (route) => route.fulfill({ status: 403, json: body }));
    for (const query of ["?what=sharing", "?view=calls"]) {
      await page.goto(env.base.origin + screen(id, query));
      await page.getByRole("alert").getByText("Not now.").waitFor();
      await assertAccessible(page, "dark");
    }
    await context.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).press("Enter");
    await page.getByText("Nothing went wrong").waitFor();
  });

  it("it is for those who may change the canvas", async () => {
    const id = await makePoll();
    const { page } = await open(bo.email, screen(id));
    await page.getByText("The activity is for the owner and editors").waitFor();
    assert.equal(await page.getByRole("link", { name: "Activity" }).count(), 0);
    await assertAccessible(page, "dark");
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import type { BrowserContext, Page } from "playwright-core";
import { noBrowser } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard.ts";
import { upload } from "../support/publish.ts";
import { zip } from "../support/zip.ts";

const HOSTILE = `<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>`;

/** A page of a canvas with functions that attack the dashboard, which has the same origin in path mode. */
const ATTACKER = `<!doctype html><title>Attacker</title><button id="open">Open</button>
<script src="attack.js"></script>`;

const ATTACKS = `
document.querySelector("#open").onclick = () => { globalThis.opened = window.open("/account"); };
globalThis.frameIt = () => new Promise((resolve) => {
  addEventListener("securitypolicyviolation", ({ violatedDirective }) => resolve(violatedDirective));
  const frame = document.createElement("iframe");
  frame.onload = () => resolve(frame.contentDocument?.querySelector("#app") ? "framed" : "refused");
  frame.src = "/account";
  document.body.append(frame);
});
globalThis.reach = () => {
  try { return opened.closed ? "severed" : opened.document.querySelector("#app") ? "reached" : "waiting"; }
  catch { return "severed"; }
};
globalThis.serve = () => navigator.serviceWorker.register("attack.js", { scope: "/" })
  .then(() => "controls the dashboard", () => "refused");
globalThis.lie = () => new BroadcastChannel("easel-session").postMessage("done");
`;

describe("in path mode, a canvas and the dashboard share an origin", { skip: noBrowser }, async () => {
  const { base, target, open } = await startDashboard(
    { after },
    // What the policies refuse is logged, and is what these tests cause.
    { allowed: /Failed to load resource|violates the following|policy violated|Service-Worker-Allowed/ },
  );
  const ada = await target.signIn("ada@example.com");
  const mal = await target.signIn("mal@example.com");

  const made = await manage(target, mal, "POST", "/api/canvases", { title: "Attacker", slug: "attacker" });
  const id = String(made.json.id);
  const files = await zip({ "index.html": ATTACKER, "attack.js": ATTACKS });
  assert.equal((await upload(target, mal, id, files)).status, 200);
  const people = [{ email: ada.email, role: "viewer" }];
  assert.equal((await manage(target, mal, "PUT", `/api/canvases/${id}/sharing`, { people })).status, 200);

  /** Opens the attacker's canvas as Ada. */
  const visit = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${base}/c/attacker/`);
    await page.waitForFunction("globalThis.lie !== undefined");
    return page;
  };

  it("a canvas cannot show the dashboard in a frame", async () => {
    const { context } = await open(ada.email, "/account");
    const page = await visit(context);
    assert.notEqual(await page.evaluate("frameIt()"), "framed");
    // Without the policy of the canvas, that of the dashboard refuses.
    await page.route("**/c/attacker/", async (route) => {
      const response = await route.fetch();
      const { "content-security-policy": _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.reload();
    await page.waitForFunction("globalThis.lie !== undefined");
    assert.equal(await page.evaluate("frameIt()"), "refused");
  });

  it("a canvas that opens the dashboard in a window gets no hold of it", async () => {
    const { context } = await open(ada.email, "/account");
    const page = await visit(context);
    const [dashboard] = await Promise.all([context.waitForEvent("page"), page.locator("#open").click()]);
    await dashboard.getByText(ada.email).waitFor();
    assert.equal(await page.evaluate("reach()"), "severed");
    assert.equal(await dashboard.evaluate("window.opener"), null);
  });

  it("a canvas that is opened from the dashboard gets no hold of it", async () => {
    const { page, context } = await open(ada.email, `/canvases/${id}`);
    const [canvas] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Open", exact: true }).click(),
    ]);
    await canvas.waitForFunction("globalThis.lie !== undefined");
    assert.equal(await canvas.evaluate("window.opener"), null);
  });

  it("a canvas finds no secret in what the dashboard stores, and cannot stand between it and the service", async () => {
    const { context } = await open(ada.email, `/canvases/${id}`);
    const page = await visit(context);
    assert.equal(await page.evaluate("document.cookie"), "");
    const stored = await page.evaluate<string>(
      "Promise.all([indexedDB.databases(), caches.keys()]).then((lists) => JSON.stringify([{ ...localStorage }, ...lists]))",
    );
    assert.equal(stored, "[{},[],[]]");
    assert.equal(await page.evaluate("serve()"), "refused");
    const document = await (await context.request.get(`${base}/account`)).text();
    assert.ok(!document.includes(ada.email), "the document is the same for everyone");
  });

  it("what a canvas writes to the storage or says on the channel harms nothing", async () => {
    const { page: dashboard, context } = await open(ada.email, "/account");
    await dashboard.getByText("This one").waitFor();
    const page = await visit(context);
    await page.evaluate(`localStorage.setItem("easel.theme", ${JSON.stringify(HOSTILE)}); lie()`);
    await dashboard.reload();
    await dashboard.getByText("This one").waitFor();
    await page.evaluate("lie()");
    assert.equal(await dashboard.evaluate("document.documentElement.dataset.theme"), "system");
    assert.equal(await dashboard.getByText("You are signed out").count(), 0);
    assert.equal(await dashboard.evaluate("globalThis.harmed"), undefined);
  });

  it("titles, tags, names of teams and people, and messages are text", async () => {
    const call = async (method: string, path: string, body: object) => {
      const answer = await manage(target, ada, method, path, body);
      assert.ok(answer.status < 300, answer.text);
      return answer.json;
    };
    const canvas = await call("POST", "/api/canvases", { title: HOSTILE, tags: [HOSTILE.slice(0, 40)] });
    const team = await call("POST", "/api/teams", { name: HOSTILE });
    const teams = [{ id: team.id, role: "editor" }];
    await call("PUT", `/api/canvases/${canvas.id}/sharing`, { teams });
    const { page } = await open(ada.email, `/canvases/${canvas.id}`);
    await page.getByRole("heading", { level: 1, name: HOSTILE }).waitFor();
    await page
      .getByText(/may open and change it/)
      .filter({ hasText: HOSTILE })
      .waitFor();
    await page.getByText(HOSTILE.slice(0, 40), { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(`Deleted ${HOSTILE}.`).waitFor();
    assert.equal(await page.evaluate("globalThis.harmed"), undefined);
  });
});

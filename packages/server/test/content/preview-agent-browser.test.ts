import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { oidcTarget, type Person } from "@easel/conformance/target";
import { startWithProvider } from "../sign-in/oidc-provider.ts";
import { Visitor } from "../sign-in/oidc-visitor.ts";
import { noBrowser, openBrowser } from "../support/browser.ts";
import { connectTool } from "../support/connected-tool.ts";
import { publish } from "../support/publish.ts";
import { fileScope, NAMED } from "../support/service.ts";

/** A page that says what it may do. */
const PAGE = `<!doctype html><title>Tea</title><script src="/sdk/v1.js"></script>`;

for (const mode of ["path", "subdomain"] as const)
  describe(`a browser without a session opens the preview link of an AI tool, oidc, by ${mode}`, {
    skip: noBrowser,
  }, async () => {
    const scope = fileScope();
    const settings = { SERVICE_URL_MODE: mode };
    const { base, env } = await startWithProvider(scope, { hostname: NAMED, settings });
    const target = oidcTarget(base, mode, async (email): Promise<Person> => {
      const visitor = new Visitor();
      await visitor.signIn(base, email);
      const headers: Header[] = [["Cookie", `easel_session=${visitor.cookie(base, "easel_session")}`]];
      return { email, name: "Ada", headers };
    });

    it("once: its page reads this canvas and nothing else, and writes nothing", async (t) => {
      const canvas = await stage(target);
      const other = await stage(target, { people: canvas.people });
      const version = await publish(target, canvas, { "index.html": PAGE });
      for (const each of [canvas, other])
        await publish(target, each, { "index.html": "<title>live</title>" });
      assert.equal((await canvas.pages.owner.put("/kv/tea", 3)).status, 200);
      const tool = await connectTool(base, canvas.people.owner, { scope: "read" }, env);
      const { preview_url: link } = await tool.use<{ preview_url: string }>("get_canvas", {
        canvas: canvas.slug,
        preview: version,
      });

      const context = await (await openBrowser(t)).newContext();
      const page = await context.newPage();
      await page.goto(link);
      assert.deepEqual([page.url(), await page.title()], [env.base.canvasUrl(canvas.slug), "Tea"]);
      const tried = await page.evaluate<unknown[]>(`Promise.all([
        easel.me().then(({ email }) => email),
        easel.kv.get("tea"),
        easel.kv.set("tea", 4).catch(({ status, code }) => [status, code]),
        easel.files.upload("x", { name: "x.txt" }).catch(({ status, code }) => [status, code]),
        new Promise((resolve) => {
          const socket = new WebSocket(new URL("${base.replace("http", "ws")}/v1/c/${canvas.slug}/realtime"));
          socket.onopen = () => resolve("open");
          socket.onerror = () => resolve("refused");
        }),
        fetch("${base}/v1/c/${other.slug}/me", { credentials: "include" }).then(({ status }) => status, () => "blocked"),
        fetch("${base}/api/me", { credentials: "include" }).then(({ status }) => status, () => "blocked"),
        fetch("${base}/api/canvases/${canvas.id}/versions/${version}/publish", { method: "POST", credentials: "include", mode: "no-cors" }).then(() => "sent", () => "blocked"),
      ])`);
      const denied = [403, "PERMISSION_DENIED"];
      const { email } = canvas.people.owner;
      assert.deepEqual(tried, [email, 3, denied, denied, "refused", "blocked", "blocked", "blocked"]);
      assert.notEqual(
        (await manage(target, canvas.people.owner, "GET", `/api/canvases/${canvas.id}`)).json.version,
        version,
      );

      // With the cookies of the browser, and without what a browser adds to the requests of a page.
      const cookies = (await context.cookies())
        .map(({ name, value }): string => `${name}=${value}`)
        .join("; ");
      const by = async (method: string, path: string) =>
        (await send(base, { method, path, headers: [["Cookie", cookies]] })).status;
      assert.deepEqual(
        [
          await by("GET", `/v1/c/${canvas.slug}/me`),
          await by("GET", `/v1/c/${other.slug}/me`),
          await by("GET", "/api/me"),
          await by("POST", `/api/canvases/${canvas.id}/versions/${version}/publish`),
          await by("POST", "/mcp"),
        ],
        [200, 302, 302, 302, 401],
      );

      const again = await (await openBrowser(t)).newPage();
      assert.equal((await again.goto(link))?.status(), 400);
      // The other canvas, and everything else of the service, asks for a sign-in.
      await page.goto(env.base.canvasUrl(other.slug));
      assert.equal(await page.locator("[name=login]").count(), 1);

      // The end of the connection ends the session.
      assert.equal((await manage(target, canvas.people.owner, "DELETE", `/api/apps/${tool.id}`)).status, 204);
      assert.equal(await by("GET", `/v1/c/${canvas.slug}/me`), 302);
    });
  });

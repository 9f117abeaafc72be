import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, manage, type Stage, stage } from "@easel/conformance/fixture";
import { expire, publish } from "@easel/conformance/lifecycle";
import { open, type Page } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { onSqlite } from "../support/engines.ts";

await onSqlite("administrators have no access to the content of canvases", (target) => {
  let admin: Person;
  let site: Stage;
  let page: Page;
  before(async () => {
    admin = await target.signIn(target.admin);
    site = await stage(target, { terms: { password: "a password" } });
    await publish(target, site, "<h1>private content</h1>");
    await site.pages.owner.put("/kv/secret", "private data");
    page = open(target, site.slug, admin);
  });

  const act = (what: string) => manage(target, admin, "POST", `/api/admin/canvases/${site.id}/${what}`);
  const onCanvas = (who: Person, method: string, path: string, body?: object) =>
    manage(target, who, method, `/api/canvases/${site.id}${path}`, body);

  const changes: [method: string, path: string, body: object | undefined][] = [
    ["GET", "", undefined],
    ["GET", "/versions", undefined],
    ["PATCH", "", { title: "Mine" }],
    ["DELETE", "", undefined],
    ["PUT", "/bundle", {}],
    ["PUT", "/sharing", { people: [{ email: "dev@example.com", role: "editor" }] }],
    ["PATCH", "/capabilities", { kv: false }],
    ["POST", "/invites", { email: "dev@example.com" }],
    ["GET", "/invites", undefined],
    ["PUT", "/owner", { email: "dev@example.com" }],
    ["POST", "/unpublish", undefined],
  ];
  /** Asserts that every route that needs a role on the canvas is 404 for the administrator. */
  async function hasNoWayIn() {
    const { email } = admin;
    assert.equal(email, "dev@example.com");
    for (const who of [admin, await tokenOf(target, admin)]) {
      for (const [method, path, body] of changes) {
        refused(await onCanvas(who, method, path, body), 404, "NOT_FOUND");
      }
    }
    const { json } = await manage(target, admin, "GET", `/api/canvases?q=${site.slug}`);
    assert.deepEqual(json.canvases, []);
  }

  it("private: 404 for an administrator on the management API, 404 OWNER_ONLY on runtime API and pages", async () => {
    await hasNoWayIn();
    for (const path of ["/me", "/kv", "/kv/secret"]) refused(await page.get(path), 404, "OWNER_ONLY");
    refused(await page.put("/kv/secret", "changed"), 404, "OWNER_ONLY");
    refused(await manage(target, admin, "GET", `/c/${site.slug}/`), 404, "OWNER_ONLY");
  });

  it("the same after disabling and enabling it, and while it is disabled", async () => {
    assert.equal((await act("disable")).status, 200);
    await hasNoWayIn();
    refused(await page.get("/kv/secret"), 403, "DISABLED");
    refused(await manage(target, admin, "GET", `/c/${site.slug}/`), 403, "DISABLED");
    assert.equal((await act("enable")).status, 200);
    await hasNoWayIn();
    refused(await page.get("/kv/secret"), 404, "OWNER_ONLY");
    refused(await manage(target, admin, "GET", `/c/${site.slug}/`), 404, "OWNER_ONLY");
    assert.deepEqual((await site.pages.editor.get("/kv/secret")).json, { value: "private data" });
  });

  it("the same after deleting and restoring it", async () => {
    assert.equal((await onCanvas(site.people.owner, "DELETE", "")).status, 204);
    await hasNoWayIn();
    assert.equal((await act("restore")).status, 200);
    await hasNoWayIn();
    refused(await page.get("/kv/secret"), 404, "OWNER_ONLY");
  });

  it("whole_org with a password: an administrator needs the password, too, and is then a viewer", async () => {
    await amend(target, site, { access: "whole_org" });
    refused(await page.get("/kv/secret"), 403, "PASSWORD_REQUIRED");
    refused(await manage(target, admin, "GET", `/c/${site.slug}/`), 403, "PASSWORD_REQUIRED");
    assert.equal((await act("disable")).status, 200);
    assert.equal((await act("enable")).status, 200);
    refused(await page.get("/kv/secret"), 403, "PASSWORD_REQUIRED");
    await amend(target, site, { password: null });
    const { json } = await page.get("/me");
    assert.equal(json.canvasRole, "viewer");
    refused(await page.put("/kv/secret", "changed"), 403, "PERMISSION_DENIED");
    await hasNoWayIn();
  });

  it("expired: an administrator is refused like any other viewer", async () => {
    await amend(target, site, { access: "whole_org" });
    assert.equal((await page.get("/me")).status, 200);
    await expire(target, site);
    refused(await page.get("/me"), 404, "SHARE_EXPIRED");
  });
});

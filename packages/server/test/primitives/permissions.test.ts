import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { open, type Page } from "@easel/conformance/page";
import type { Identity, Permission } from "@easel/protocol/types";
import { PERMISSION_NEEDS } from "../../src/access/roles.ts";
import { startDev } from "../support/engines.ts";

/** Routes, each with the permission that it requires. Only routes whose rights do not depend on a policy document. */
const ROUTES: [permission: Permission, method: "GET" | "PUT" | "POST" | "DELETE", path: string][] = [
  ["canReadSharedData", "GET", "/kv"],
  ["canReadSharedData", "GET", "/kv/a"],
  ["canWriteSharedData", "PUT", "/kv/a"],
  ["canWriteSharedData", "POST", "/kv/a/increment"],
  ["canWriteSharedData", "DELETE", "/kv/a"],
  ["canSavePreferences", "GET", "/kv/user"],
  ["canSavePreferences", "GET", "/kv/user/a"],
  ["canSavePreferences", "PUT", "/kv/user/a"],
  ["canSavePreferences", "POST", "/kv/user/a/increment"],
  ["canSavePreferences", "DELETE", "/kv/user/a"],
  ["canSubmit", "GET", "/submissions/poll/mine"],
  ["canSubmit", "PUT", "/submissions/poll/mine"],
  ["canSubmit", "DELETE", "/submissions/poll/mine"],
  ["canManageSubmissions", "GET", "/submissions/poll"],
  ["canManageSubmissions", "DELETE", "/submissions/poll/nobody"],
  ["canManageSubmissions", "DELETE", "/submissions/poll"],
];

const scope = { after };
const { target } = await startDev(scope);

describe("permissions", () => {
  let pages: Record<"owner" | "editor" | "viewer" | "guest", Page>;
  before(async () => {
    const site: Stage = await stage(target);
    const { owner, editor, viewer } = site.pages;
    pages = { owner, editor, viewer, guest: open(target, site.slug, await guestOf(target, site)) };
  });

  const permissionsOf = async (page: Page) =>
    ((await page.get("/me")).json as unknown as Identity).permissions;

  /** Asserts that each route rejects exactly those callers who, according to `/me`, lack the permission that the route requires. */
  async function agree(): Promise<void> {
    for (const [name, page] of Object.entries(pages)) {
      const permissions = await permissionsOf(page);
      for (const [permission, method, path] of ROUTES) {
        const { status, json } = await (method === "PUT" || method === "POST"
          ? page[method === "PUT" ? "put" : "post"](path, method === "PUT" ? 1 : {})
          : page[method === "GET" ? "get" : "delete"](path));
        const denied = status === 403 && json.code === "PERMISSION_DENIED";
        assert.equal(denied, !permissions[permission], `${name} ${method} ${path}: ${status}`);
      }
    }
  }

  it("a route refuses those to whom /me denies its permission, and nobody else", agree);

  for (const permission of new Set(ROUTES.map(([name]) => name))) {
    const needs = PERMISSION_NEEDS[permission];
    it(`${permission}: the table decides for the route and for /me`, async () => {
      try {
        PERMISSION_NEEDS[permission] = { capability: "kv", manager: true };
        assert.equal((await permissionsOf(pages.viewer))[permission], false);
        await agree();
        PERMISSION_NEEDS[permission] = { capability: "kv", guests: "never" };
        assert.equal((await permissionsOf(pages.viewer))[permission], true);
        assert.equal((await permissionsOf(pages.guest))[permission], false);
        await agree();
      } finally {
        PERMISSION_NEEDS[permission] = needs;
      }
    });
  }
});

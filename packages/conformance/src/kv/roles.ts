import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { freshKey } from "./scope.ts";

/** Tests which roles can read and write the scopes of the key-value store. */
export function roles(target: Target): void {
  describe("roles and scopes", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });

    for (const role of ["owner", "editor"] as const) {
      it(`the ${role} reads and writes the shared scope`, async () => {
        const page = canvas.pages[role];
        const path = `/kv/${freshKey()}`;
        answered(await page.put(path, 1), { ok: true });
        answered(await page.post(`${path}/increment`, { by: 2 }), { value: 3 });
        answered(await page.get(path), { value: 3 });
        answered(await page.delete(path), { ok: true });
        refused(await page.get(path), 404, "NOT_FOUND");
      });
    }

    it("a viewer reads the shared scope", async () => {
      const { owner, viewer } = canvas.pages;
      const key = freshKey();
      await owner.put(`/kv/${key}`, "to read");
      answered(await viewer.get(`/kv/${key}`), { value: "to read" });
      const entries = [{ key, value: "to read" }];
      answered(await viewer.get(`/kv?prefix=${key}`), { entries, nextCursor: null });
    });

    it("a viewer's mutation of the shared scope: 403 PERMISSION_DENIED, and nothing changes", async () => {
      const { owner, viewer } = canvas.pages;
      const [kept, absent] = [`/kv/${freshKey()}`, `/kv/${freshKey()}`];
      await owner.put(kept, 7);
      for (const path of [kept, absent]) {
        refused(await viewer.put(path, 8), 403, "PERMISSION_DENIED");
        refused(await viewer.delete(path), 403, "PERMISSION_DENIED");
        refused(await viewer.post(`${path}/increment`, {}), 403, "PERMISSION_DENIED");
      }
      answered(await owner.get(kept), { value: 7 });
      refused(await owner.get(absent), 404, "NOT_FOUND");
    });

    it("a key that only looks like the user scope stays shared", async () => {
      const { owner, viewer } = canvas.pages;
      for (const key of ["user%2Fx", "%75ser%2Fx", "user%252Fx", "User", "user%20", "users", "user%00"]) {
        refused(await viewer.put(`/kv/${key}`, 1), 403, "PERMISSION_DENIED");
        answered(await owner.put(`/kv/${key}`, 1), { ok: true });
        answered(await viewer.get(`/kv/${key}`), { value: 1 });
      }
      refused(await owner.get("/kv/user/x"), 404, "NOT_FOUND");
    });

    it("a viewer reads and writes the user scope, also as /kv/%75ser", async () => {
      const { viewer } = canvas.pages;
      for (const root of ["/kv/user", "/kv/%75ser", "/kv/%75%73%65%72"]) {
        const key = freshKey();
        answered(await viewer.put(`${root}/${key}`, 1), { ok: true });
        answered(await viewer.post(`${root}/${key}/increment`, {}), { value: 2 });
        answered(await viewer.get(`/kv/user/${key}`), { value: 2 });
        const entries = [{ key, value: 2 }];
        answered(await viewer.get(`${root}?prefix=${key}`), { entries, nextCursor: null });
        answered(await viewer.delete(`${root}/${key}`), { ok: true });
        refused(await viewer.get(`/kv/user/${key}`), 404, "NOT_FOUND");
      }
    });

    it("everybody's user scope is their own", async () => {
      const key = freshKey();
      const roles = ["owner", "editor", "viewer"] as const;
      for (const role of roles) answered(await canvas.pages[role].put(`/kv/user/${key}`, role), { ok: true });
      answered(await canvas.pages.editor.delete(`/kv/user/${key}`), { ok: true });
      answered(await canvas.pages.owner.get(`/kv/user/${key}`), { value: "owner" });
      refused(await canvas.pages.editor.get(`/kv/user/${key}`), 404, "NOT_FOUND");
      answered(await canvas.pages.viewer.get(`/kv/user/${key}`), { value: "viewer" });
    });

    it("the user scope and the shared scope are independent", async () => {
      const { owner } = canvas.pages;
      const key = freshKey();
      answered(await owner.put(`/kv/${key}`, "shared"), { ok: true });
      refused(await owner.get(`/kv/user/${key}`), 404, "NOT_FOUND");
      answered(await owner.put(`/kv/user/${key}`, "own"), { ok: true });
      answered(await owner.get(`/kv/${key}`), { value: "shared" });
      const entries = [{ key, value: "shared" }];
      answered(await owner.get(`/kv?prefix=${key}`), { entries, nextCursor: null });
      answered(await owner.delete(`/kv/${key}`), { ok: true });
      answered(await owner.get(`/kv/user/${key}`), { value: "own" });
    });

    it("the stores of two canvases are independent, in either scope", async () => {
      const second = await stage(target, { people: canvas.people });
      const key = freshKey();
      for (const path of [`/kv/${key}`, `/kv/user/${key}`]) {
        answered(await canvas.pages.owner.put(path, "here"), { ok: true });
        refused(await second.pages.owner.get(path), 404, "NOT_FOUND");
        answered(await second.pages.owner.delete(path), { ok: true });
        answered(await canvas.pages.owner.get(path), { value: "here" });
      }
    });

    it("no query parameter leads to another person's scope", async () => {
      const { owner, viewer } = canvas.pages;
      const key = freshKey();
      await owner.put(`/kv/user/${key}`, "the owner's");
      const { id } = (await owner.get("/me")).json;
      for (const query of [`?user=${id}`, `?userId=${id}`, `?scope=${id}`]) {
        refused(await viewer.get(`/kv/user/${key}${query}`), 404, "NOT_FOUND");
        const list = await viewer.get(`/kv/user${query}&prefix=${key}`);
        assert.deepEqual(list.json.entries, []);
      }
    });
  });
}

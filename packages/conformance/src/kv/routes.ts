import { before, describe, it } from "node:test";
import { stage } from "../fixture.ts";
import type { Page } from "../page.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { freshKey, SCOPES } from "./scope.ts";

/** Tests the five routes of the key-value store, in both scopes. */
export function routes(target: Target): void {
  for (const { scope, root } of SCOPES) {
    describe(`routes of the ${scope} scope`, () => {
      let page: Page;
      before(async () => {
        page = (await stage(target)).pages.owner;
      });

      it("GET of an absent key: 404 NOT_FOUND", async () => {
        refused(await page.get(`${root}/${freshKey()}`), 404, "NOT_FOUND");
      });

      it("PUT, GET, PUT again, GET", async () => {
        const path = `${root}/${freshKey()}`;
        answered(await page.put(path, { first: 1 }), { ok: true });
        answered(await page.get(path), { value: { first: 1 } });
        answered(await page.put(path, "second"), { ok: true });
        answered(await page.get(path), { value: "second" });
      });

      it("DELETE is idempotent and never 404", async () => {
        const path = `${root}/${freshKey()}`;
        answered(await page.delete(path), { ok: true });
        answered(await page.put(path, 1), { ok: true });
        answered(await page.delete(path), { ok: true });
        refused(await page.get(path), 404, "NOT_FOUND");
        answered(await page.delete(path), { ok: true });
      });

      it("a deleted key that is written again starts without its old value", async () => {
        const path = `${root}/${freshKey()}`;
        await page.put(path, 41);
        await page.delete(path);
        answered(await page.post(`${path}/increment`, {}), { value: 1 });
      });

      it("increment of an absent key starts at 0", async () => {
        const path = `${root}/${freshKey()}`;
        answered(await page.post(`${path}/increment`, {}), { value: 1 });
        answered(await page.get(path), { value: 1 });
      });

      it("the list has what was put, and no more", async () => {
        const label = freshKey("list");
        answered(await page.put(`${root}/${label}b`, 2), { ok: true });
        answered(await page.put(`${root}/${label}a`, 1), { ok: true });
        answered(await page.put(`${root}/${label}c`, 3), { ok: true });
        answered(await page.delete(`${root}/${label}c`), { ok: true });
        const entries = [
          { key: `${label}a`, value: 1 },
          { key: `${label}b`, value: 2 },
        ];
        answered(await page.get(`${root}?prefix=${label}`), { entries, nextCursor: null });
      });

      it("the list of an empty scope", async () => {
        const { pages } = await stage(target);
        answered(await pages.owner.get(root), { entries: [], nextCursor: null });
      });

      it("a charset in the JSON content type is ignored", async () => {
        const path = `${root}/${freshKey()}`;
        const type: [string, string] = ["Content-Type", "application/json; charset=utf-8"];
        answered(await page.send("PUT", path, [type], '"ü"'), { ok: true });
        answered(await page.get(path), { value: "ü" });
      });
    });
  }
}

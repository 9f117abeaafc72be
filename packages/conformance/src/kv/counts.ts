import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { type Stage, stage } from "../fixture.ts";
import type { Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";

const SCOPES = {
  shared: { root: "/kv", max: LIMITS.kvKeysShared.value },
  user: { root: "/kv/user", max: LIMITS.kvKeysUser.value },
} as const;
type Scope = keyof typeof SCOPES;
const RACERS = 60;
const PLACES = 10;

/** Tests the limit of a scope. At the limit only new keys are refused, and concurrent writes do not exceed it. */
function countsOf(scope: Scope): (target: Target) => void {
  return (target) => {
    const { root, max } = SCOPES[scope];
    describe(`the number of keys in the ${scope} scope`, () => {
      let canvas: Stage;
      let page: Page;
      before(async () => {
        canvas = await stage(target);
        page = canvas.pages.editor;
        const keys = Array.from({ length: max }, (_, index) => `k${index}`);
        await parallel(keys, async (key) => answered(await page.put(`${root}/${key}`, 0), { ok: true }));
      });
      const stored = async () => {
        let count = 0;
        for (let cursor: unknown = ""; cursor !== null; ) {
          const { json } = await page.get(`${root}?limit=1000&cursor=${cursor}`);
          count += (json.entries as Json[]).length;
          cursor = json.nextCursor;
        }
        return count;
      };
      const race = async (write: (racer: number) => Promise<{ status: number }>) => {
        const racers = Array.from({ length: RACERS }, (_, racer) => racer);
        const answers = await parallel(racers, write, RACERS);
        return answers.map(({ status }) => status).sort();
      };
      const won = (places: number) => [...Array(places).fill(200), ...Array(RACERS - places).fill(409)];

      it(`${RACERS} writers race for the last ${PLACES} places: ${PLACES} get one`, async () => {
        for (let key = 100; key < 100 + PLACES; key++)
          answered(await page.delete(`${root}/k${key}`), { ok: true });
        assert.equal(await stored(), max - PLACES);
        const write = (racer: number) =>
          racer % 2 ? page.put(`${root}/race${racer}`, 0) : page.post(`${root}/race${racer}/increment`, {});
        assert.deepEqual(await race(write), won(PLACES));
        assert.equal(await stored(), max);
      });

      it("a new key at the limit: 409 KEY_LIMIT, after the checks of its body and size", async () => {
        const path = `${root}/new`;
        refused(await page.put(path, 1), 409, "KEY_LIMIT");
        refused(await page.post(`${path}/increment`, {}), 409, "KEY_LIMIT");
        refused(await page.putRaw(path, "{"), 400, "INVALID_BODY");
        refused(await page.putRaw(path, "null"), 400, "INVALID_BODY");
        refused(await page.put(path, "v".repeat(70_000)), 413, "VALUE_TOO_LARGE");
        refused(await page.post(`${path}/increment`, { by: "1" }), 400, "INVALID_BODY");
        refused(await page.put(`${root}/${"k".repeat(513)}`, 1), 413, "KEY_TOO_LARGE");
        refused(await page.get(path), 404, "NOT_FOUND");
        assert.equal(await stored(), max);
      });

      it("updates of stored keys succeed at the limit", async () => {
        answered(await page.put(`${root}/k1`, 5), { ok: true });
        answered(await page.post(`${root}/k1/increment`, {}), { value: 6 });
        answered(await page.get(`${root}/k1`), { value: 6 });
        assert.equal(await stored(), max);
      });

      it("a delete makes one place, a delete of nothing makes none", async () => {
        answered(await page.delete(`${root}/absent`), { ok: true });
        refused(await page.put(`${root}/newcomer`, 1), 409, "KEY_LIMIT");
        answered(await page.delete(`${root}/k2`), { ok: true });
        answered(await page.delete(`${root}/k2`), { ok: true });
        answered(await page.put(`${root}/newcomer`, 1), { ok: true });
        refused(await page.put(`${root}/k2`, 1), 409, "KEY_LIMIT");
        assert.equal(await stored(), max);
      });

      it("the same key deleted many times at once makes one place", async () => {
        const deleted = await Promise.all(Array.from({ length: 20 }, () => page.delete(`${root}/k3`)));
        for (const answer of deleted) answered(answer, { ok: true });
        assert.deepEqual(await race((racer) => page.put(`${root}/after${racer}`, 0)), won(1));
        assert.equal(await stored(), max);
      });

      it("the same new key written many times at once takes one place", async () => {
        answered(await page.delete(`${root}/k4`), { ok: true });
        answered(await page.delete(`${root}/k5`), { ok: true });
        assert.deepEqual(await race(() => page.put(`${root}/same`, 0)), won(RACERS));
        answered(await page.put(`${root}/last`, 0), { ok: true });
        refused(await page.put(`${root}/k4`, 0), 409, "KEY_LIMIT");
        assert.equal(await stored(), max);
      });

      it("other scopes have limits of their own", async () => {
        const { owner, viewer } = canvas.pages;
        const neighbour = await stage(target, { people: canvas.people });
        answered(await viewer.put("/kv/user/place", 1), { ok: true });
        answered(await owner.put(scope === "shared" ? "/kv/user/place" : "/kv/place", 1), { ok: true });
        answered(await neighbour.pages.editor.put(`${root}/place`, 1), { ok: true });
      });
    });
  };
}

/** Tests the limit of 1,000 keys in a user's scope. */
export const userCounts = countsOf("user");

/** Tests the limit of 10,000 keys in the shared scope, with as many requests. */
export const sharedCounts = countsOf("shared");

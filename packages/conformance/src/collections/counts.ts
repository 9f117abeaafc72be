import { before, describe, it } from "node:test";
import { AUDIENCES, type CollectionPolicy, PRESETS, type Preset } from "@easel/protocol/policy";
import type { Stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open, type Page } from "../page.ts";
import { collecting } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add } from "./entry.ts";

const CALLERS = ["owner", "editor", "viewer", "guest"] as const;
type Caller = (typeof CALLERS)[number];

/** In these tests, four callers create one record each. The table says how many of the four records a caller can read under each preset. */
const READABLE: Record<Preset, Record<Caller, number>> = {
  personal: { owner: 1, editor: 1, viewer: 1, guest: 1 },
  submissions: { owner: 4, editor: 4, viewer: 1, guest: 1 },
  contributions: { owner: 4, editor: 4, viewer: 4, guest: 4 },
  managed: { owner: 4, editor: 4, viewer: 4, guest: 4 },
  collaborative: { owner: 4, editor: 4, viewer: 4, guest: 4 },
};

const named = (preset: Preset, audience: string) => `${preset}.${audience}`;

/**
 * Tests `GET …/count`. Only the callers that the policy's field `aggregateCount` names may use it. Without the parameter `where`, the
 * response is the number of all records; with it, the number of matching records that the caller can read.
 */
export function counts(target: Target): void {
  describe("counts", () => {
    let canvas: Stage;
    let pages: Record<Caller, Page>;
    before(async () => {
      const table: Record<string, CollectionPolicy> = {
        hidden: { preset: "contributions", overrides: { read: "none" }, aggregateCount: "viewers" },
      };
      for (const preset of Object.keys(PRESETS) as Preset[]) {
        table[preset] = { preset };
        for (const audience of AUDIENCES)
          table[named(preset, audience)] = {
            preset,
            overrides: { create: "viewers" },
            aggregateCount: audience,
          };
      }
      canvas = await collecting(target, table);
      pages = { ...canvas.pages, guest: open(target, canvas.slug, await guestOf(target, canvas)) };
      for (const preset of Object.keys(PRESETS) as Preset[]) {
        for (const audience of AUDIENCES)
          for (const [made, caller] of CALLERS.entries())
            await add(pages[caller], named(preset, audience), { by: caller, made });
      }
    });

    for (const preset of Object.keys(PRESETS) as Preset[]) {
      it(`${preset} without aggregateCount: 403 PERMISSION_DENIED for everyone`, async () => {
        for (const caller of CALLERS)
          refused(await pages[caller].get(`/collections/${preset}/count`), 403, "PERMISSION_DENIED");
      });

      for (const audience of AUDIENCES) {
        it(`${preset} counted by ${audience}`, async () => {
          for (const caller of CALLERS) {
            const answer = await pages[caller].get(`/collections/${named(preset, audience)}/count`);
            const manages = caller === "owner" || caller === "editor";
            const may = audience === "viewers" || (audience === "editors" && manages);
            if (may) answered(answer, { count: CALLERS.length });
            else refused(answer, 403, "PERMISSION_DENIED");
            for (const [where, readable] of [
              [{}, READABLE[preset][caller]],
              [{ "value.made": { gte: 0 } }, READABLE[preset][caller]],
              [{ "value.by": caller }, 1],
              [{ "value.by": "nobody" }, 0],
            ] as const) {
              const found = await pages[caller].get(
                `/collections/${named(preset, audience)}/count?where=${encodeURIComponent(JSON.stringify(where))}`,
              );
              if (may) answered(found, { count: readable });
              else refused(found, 403, "PERMISSION_DENIED");
            }
          }
        });
      }
    }

    it("a caller who can read nothing counts all records, and none with conditions", async () => {
      await add(pages.viewer, "hidden", 1);
      await add(pages.owner, "hidden", { a: 1 });
      for (const caller of CALLERS) {
        answered(await pages[caller].get("/collections/hidden/count"), { count: 2 });
        for (const where of ["{}", '{"value.a":1}'])
          answered(await pages[caller].get(`/collections/hidden/count?where=${encodeURIComponent(where)}`), {
            count: 0,
          });
      }
    });

    for (const query of ["where=%7B", "where=1", "where=%7B%22id%22%3A1%7D", "where=%7B%7D&where=%7B%7D"]) {
      it(`count?${query}: 400 INVALID_BODY`, async () => {
        refused(await pages.viewer.get(`/collections/hidden/count?${query}`), 400, "INVALID_BODY");
        refused(await pages.viewer.get(`/collections/personal/count?${query}`), 403, "PERMISSION_DENIED");
      });
    }
  });
}

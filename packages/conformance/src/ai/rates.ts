import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { spend } from "../bucket.ts";
import { cast, type Stage, stage } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { JSON_TYPE, open, type Page } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { ask, askFor, chatRoom, doneOf, freshMark, MAX_BODY_BYTES } from "./chat.ts";
import { nothingWith } from "./stand-in.ts";

const PER_MINUTE = 10;

/** Tests the rate limit of AI: ten requests a minute for each person. Every test uses new people, who have not yet sent requests. */
export function rates(target: Target): void {
  describe("rates", () => {
    let canvas: Stage;
    const room = async () => {
      canvas = await chatRoom(target, { people: await cast(target), switches: { guestAi: true } });
      return canvas;
    };
    const invalid = (page: Page) => ask(page, "{");
    const spent = (page: Page) => spend(() => invalid(page), 400);

    describe("a bucket that is spent", () => {
      before(async () => {
        await spent((await room()).pages.viewer);
      });

      it("comes before the body, the switches and the path, and the provider is not asked", async () => {
        const { viewer } = canvas.pages;
        const mark = freshMark();
        const large = " ".repeat(MAX_BODY_BYTES + 1);
        for (const answer of [
          await askFor(viewer, [{ end: {} }], mark),
          await ask(viewer, large),
          await viewer.get("/ai/chat"),
          await viewer.get("/ai/no-such-path"),
        ])
          refused(answer, 429, "RATE_LIMITED");
        await nothingWith(target, mark);
      });

      it("is spent on every canvas, those to which the person has no access included", async () => {
        const { people } = canvas;
        const other = await chatRoom(target, { people });
        refused(await askFor(other.pages.viewer, [{ end: {} }]), 429, "RATE_LIMITED");
        const closed = await stage(target);
        refused(await invalid(open(target, closed.slug, people.viewer)), 429, "RATE_LIMITED");
      });

      it("is neither that of the key-value store nor that of others", async () => {
        assert.equal((await canvas.pages.viewer.get("/kv")).status, 200);
        doneOf(await askFor(canvas.pages.owner, [{ end: {} }]));
        const guest = open(target, canvas.slug, await guestOf(target, canvas));
        doneOf(await askFor(guest, [{ end: {} }]));
      });
    });

    it("ten requests a minute for one person, over several canvases and all paths below /ai", async () => {
      const { people, pages } = await room();
      const other = await chatRoom(target, { people });
      const asks = [
        () => askFor(pages.viewer, [{ end: {} }]),
        () => invalid(other.pages.viewer),
        () => pages.viewer.get("/ai/chat"),
        () => other.pages.viewer.send("POST", "/ai/no-such-path", [JSON_TYPE], "{}"),
      ];
      const { passed, limit, refusal } = await spend(
        (turn) => asks[turn % asks.length]?.() ?? pages.viewer.get("/ai"),
      );
      assert.deepEqual([passed, limit], [PER_MINUTE, PER_MINUTE]);
      assert.equal(refusal.headers["x-ratelimit-remaining"], "0");
      assert.match(refusal.headers["retry-after"] ?? "", /^\d+$/);
    });

    it("a spent bucket of the key-value store does not limit AI", async () => {
      const { pages } = await room();
      await spend(() => pages.viewer.get("/kv"), 200);
      doneOf(await askFor(pages.viewer, [{ end: {} }]));
    });
  });
}

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { aiSettingsOf, setAi } from "../admin.ts";
import { type Stage, turn } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { open, type Page } from "../page.ts";
import { parallel } from "../parallel.ts";
import type { Target } from "../target.ts";
import { ask, askFor, chatOf, chatRoom, doneOf, freshMark, textBeforeError } from "./chat.ts";
import { ending, exhaust, overCap, spendUsd, TOKEN_USD } from "./spending.ts";
import { nothingWith, receivedWith } from "./stand-in.ts";

/** The spending caps that these tests set, in US dollars: of a person a day, of a canvas a month, and of a guest in all. */
const CAPS = { userDailyUsd: 2, canvasMonthlyUsd: 3, guestUsd: 1 };

/** Tests the caps on what people, canvases and guests spend. An administrator sets them for these tests. */
export function caps(target: Target): void {
  describe("caps", () => {
    let earlier: typeof CAPS;
    let canvas: Stage;
    before(async () => {
      const { userDailyUsd, canvasMonthlyUsd, guestUsd } = await aiSettingsOf(target);
      earlier = { userDailyUsd, canvasMonthlyUsd, guestUsd };
      await setAi(target, CAPS);
    });
    after(() => setAi(target, earlier));
    const room = async () => {
      canvas = await chatRoom(target, { switches: { guestAi: true } });
      return canvas;
    };

    it("a person and a day: requests pass until the spend reaches the cap, on any canvas", async () => {
      const { people, pages } = await room();
      const other = await chatRoom(target, { people });
      await spendUsd(pages.viewer, 1.5);
      await spendUsd(other.pages.viewer, 0.49999);
      await spendUsd(pages.viewer, TOKEN_USD);
      const mark = freshMark();
      for (const page of [pages.viewer, other.pages.viewer])
        overCap(await askFor(page, [{ end: {} }], mark), "user_daily");
      await nothingWith(target, mark);
      doneOf(await askFor(pages.editor, [{ end: {} }]));
      await turn(target, canvas, { ai: false });
      overCap(await askFor(pages.viewer, [{ end: {} }]), "user_daily");
    });

    it("a canvas and a month: the spend of everyone, guests included, counts", async () => {
      const { pages, slug } = await room();
      const guest = open(target, slug, await guestOf(target, canvas));
      await spendUsd(pages.owner, 0.9);
      await spendUsd(guest, 0.9);
      await spendUsd(pages.editor, 1.19999);
      await spendUsd(pages.viewer, TOKEN_USD);
      const mark = freshMark();
      for (const page of [pages.owner, pages.editor, pages.viewer, guest])
        overCap(await askFor(page, [{ end: {} }], mark), "canvas_monthly");
      await nothingWith(target, mark);
      const other = await chatRoom(target, { people: canvas.people });
      doneOf(await askFor(other.pages.viewer, [{ end: {} }]));
    });

    it("a guest: requests pass until the spend reaches the guest's cap", async () => {
      await room();
      const [guest, another] = [await guestOf(target, canvas), await guestOf(target, canvas)];
      const page = open(target, canvas.slug, guest);
      await spendUsd(page, 0.99999);
      await spendUsd(page, TOKEN_USD);
      const mark = freshMark();
      overCap(await askFor(page, [{ end: {} }], mark), "guest");
      await nothingWith(target, mark);
      doneOf(await askFor(open(target, canvas.slug, another), [{ end: {} }]));
    });

    it("the spend of guests counts for the person who has invited them as well", async () => {
      const { pages, people, slug } = await room();
      const guests = [
        await guestOf(target, canvas),
        await guestOf(target, canvas),
        await guestOf(target, canvas),
      ];
      const [first, second, third] = guests.map((guest) => open(target, slug, guest)) as [Page, Page, Page];
      await spendUsd(first, 0.9);
      await spendUsd(second, 0.9);
      await spendUsd(pages.owner, 0.2);
      const other = await chatRoom(target, { people });
      for (const page of [third, pages.owner, other.pages.owner])
        overCap(await askFor(page, [{ end: {} }]), "user_daily");
      doneOf(await askFor(pages.viewer, [{ end: {} }]));
    });

    it("one request can exceed a cap, and is completed", async () => {
      const { pages, people } = await room();
      await exhaust(target, canvas, people.viewer);
      overCap(await askFor(pages.viewer, [{ end: {} }]), "user_daily");
      overCap(await askFor(pages.editor, [{ end: {} }]), "canvas_monthly");
    });

    it("a failure before any response costs nothing", async () => {
      const { pages } = await room();
      await spendUsd(pages.viewer, 1.99999);
      for (let turn = 0; turn < 2; turn++)
        assert.equal(textBeforeError(await askFor(pages.viewer, [{ status: 500 }])), "");
      await spendUsd(pages.viewer, TOKEN_USD);
      overCap(await askFor(pages.viewer, [{ end: {} }]), "user_daily");
    });

    it("of parallel requests with less left than one can cost, one passes", async () => {
      const { pages, people } = await room();
      const other = await chatRoom(target, { people });
      await spendUsd(pages.viewer, 1.99999);
      const mark = freshMark();
      const chat = chatOf([ending(1_000)], mark, { maxTokens: 8192 });
      const turns = Array.from({ length: 12 }, (_, index) => (index % 2 ? pages : other.pages).viewer);
      const answers = await parallel(turns, (page) => ask(page, chat));
      const refusals = answers.filter(({ status }) => status !== 200);
      assert.equal(refusals.length, turns.length - 1);
      for (const answer of refusals) overCap(answer, "user_daily");
      assert.equal((await receivedWith(target, mark)).length, 1);
    });

    it("a change of a cap counts from the next request on, and 0 admits nobody", async () => {
      const { pages, slug } = await room();
      const guest = open(target, slug, await guestOf(target, canvas));
      doneOf(await askFor(guest, [{ end: {} }]));
      await setAi(target, { userDailyUsd: 0 });
      for (const page of [pages.owner, guest]) overCap(await askFor(page, [{ end: {} }]), "user_daily");
      await setAi(target, { userDailyUsd: CAPS.userDailyUsd, guestUsd: 0 });
      overCap(await askFor(guest, [{ end: {} }]), "guest");
      await setAi(target, { guestUsd: CAPS.guestUsd, canvasMonthlyUsd: 0 });
      overCap(await askFor(guest, [{ end: {} }]), "canvas_monthly");
      overCap(await askFor(pages.owner, [{ end: {} }]), "canvas_monthly");
      await setAi(target, { canvasMonthlyUsd: CAPS.canvasMonthlyUsd });
      doneOf(await askFor(pages.owner, [{ end: {} }]));
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Stage, share, stage } from "../fixture.ts";
import { accept, guestOf, invite } from "../guest.ts";
import { open } from "../page.ts";
import { idOf } from "../person-id.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { answerOf } from "./answer.ts";

/**
 * Tests that everyone with access to a canvas writes their own submission, and that its owner and editors read and remove all submissions.
 */
export function roles(target: Target): void {
  describe("access by role", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });

    it("a viewer neither lists nor removes: 403 PERMISSION_DENIED, and nothing has changed", async () => {
      const { owner, viewer } = canvas.pages;
      const stored = [answerOf(await owner.put("/submissions/closed/mine", 1))];
      stored.push(answerOf(await viewer.put("/submissions/closed/mine", 2)));
      const attempts = [
        await viewer.get("/submissions/closed"),
        await viewer.get("/submissions/closed?limit=1"),
        await viewer.get("/submissions/none"),
        await viewer.delete("/submissions/closed"),
        await viewer.delete(`/submissions/closed/${await idOf(owner)}`),
        await viewer.delete(`/submissions/closed/${await idOf(viewer)}`),
      ];
      for (const answer of attempts) refused(answer, 403, "PERMISSION_DENIED");
      const { entries } = (await owner.get("/submissions/closed")).json;
      assert.deepEqual(new Set(entries as object[]), new Set(stored));
    });

    it("a stranger: 404 OWNER_ONLY", async () => {
      const { stranger } = canvas.pages;
      refused(await stranger.put("/submissions/poll/mine", 1), 404, "OWNER_ONLY");
      refused(await stranger.get("/submissions/poll"), 404, "OWNER_ONLY");
    });

    it("a submission is the caller's, with forged fields ignored", async () => {
      const { owner, viewer } = canvas.pages;
      const [mine, theirs] = [await idOf(viewer), await idOf(owner)];
      const path = `/submissions/forged/mine?userId=${theirs}&user=${theirs}`;
      const stored = answerOf(await viewer.put(path, { userId: theirs, value: 1 }));
      assert.deepEqual([stored.userId, stored.value], [mine, { userId: theirs, value: 1 }]);
      refused(await owner.get("/submissions/forged/mine"), 404, "NOT_FOUND");
    });

    it("a guest submits under the id of their invitation, in each of its sessions", async () => {
      const invited = await invite(target, canvas);
      const [first, second] = [await accept(target, invited), await accept(target, invited)];
      const [page, again] = [open(target, canvas.slug, first), open(target, canvas.slug, second)];
      const stored = answerOf(await page.put("/submissions/guests/mine", "guest"));
      assert.equal(stored.userId, `guest:${invited.id}`);
      answered(await again.get("/submissions/guests/mine"), stored);
      const { editor } = canvas.pages;
      answered(await editor.get("/submissions/guests"), { entries: [stored], nextCursor: null });
      refused(await page.get("/submissions/guests"), 403, "PERMISSION_DENIED");
      refused(await page.delete("/submissions/guests"), 403, "PERMISSION_DENIED");
      answered(await again.delete("/submissions/guests/mine"), { ok: true });
      refused(await page.get("/submissions/guests/mine"), 404, "NOT_FOUND");
    });

    it("a guest's submission is removed by the guest's id, whose colon may be encoded or not", async () => {
      const { owner } = canvas.pages;
      for (const encode of [encodeURIComponent, String]) {
        const guest = await guestOf(target, canvas);
        const page = open(target, canvas.slug, guest);
        const { userId } = answerOf(await page.put("/submissions/guests/mine", 1));
        answered(await owner.delete(`/submissions/guests/${encode(userId)}`), { ok: true });
        refused(await page.get("/submissions/guests/mine"), 404, "NOT_FOUND");
      }
    });

    it("a new role applies to the next request", async () => {
      const { viewer } = canvas.pages;
      refused(await viewer.get("/submissions/poll"), 403, "PERMISSION_DENIED");
      await share(target, canvas, "private", { editor: "editor", viewer: "editor" });
      assert.equal((await viewer.get("/submissions/poll")).status, 200);
      await share(target, canvas, "private", { editor: "editor", viewer: "viewer" });
      refused(await viewer.get("/submissions/poll"), 403, "PERMISSION_DENIED");
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Stage } from "../fixture.ts";
import { collecting, govern } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, entriesIn, entryOf } from "./entry.ts";

const PATH = "/collections/votes";

/** Tests `unique` in the policy of a collection: no two records have equal values in all the fields that it names. */
export function unique(target: Target): void {
  describe("unique records", () => {
    let people: Stage["people"];
    before(async () => {
      ({ people } = await collecting(target, {}));
    });
    const votes = (fields?: string[]) =>
      collecting(
        target,
        { votes: { preset: "collaborative", ...(fields === undefined ? {} : { unique: fields }) } },
        people,
      );

    it("one vote a person and card: the second is 409 NOT_UNIQUE, and nothing is stored", async () => {
      const { viewer, owner } = (await votes(["authorId", "value.card"])).pages;
      const made = [await add(viewer, "votes", { card: "a" }), await add(owner, "votes", { card: "a" })];
      refused(await viewer.post(PATH, { card: "a", dots: 2 }), 409, "NOT_UNIQUE");
      made.push(await add(viewer, "votes", { card: "b" }));
      assert.deepEqual(await entriesIn(viewer, "votes"), made);
    });

    it("an update by another person is compared as the record of its author", async () => {
      const { viewer, owner } = (await votes(["authorId", "value.card"])).pages;
      const [a, b] = [await add(viewer, "votes", { card: "a" }), await add(viewer, "votes", { card: "b" })];
      refused(await owner.put(`${PATH}/${b.id}`, { card: "a" }), 409, "NOT_UNIQUE");
      answered(await owner.get(`${PATH}/${b.id}`), b);
      assert.deepEqual(entryOf(await owner.put(`${PATH}/${a.id}`, { card: "a", dots: 3 })).value, {
        card: "a",
        dots: 3,
      });
      entryOf(await viewer.put(`${PATH}/${a.id}`, { card: "c" }));
      entryOf(await viewer.put(`${PATH}/${b.id}`, { card: "a" }));
    });

    it("deleting and clearing free the value", async () => {
      const { viewer } = (await votes(["authorId"])).pages;
      const { id } = await add(viewer, "votes", 1);
      refused(await viewer.post(PATH, 2), 409, "NOT_UNIQUE");
      await viewer.delete(`${PATH}/${id}`);
      await add(viewer, "votes", 2);
      answered(await viewer.delete(PATH), { deleted: 1, attachmentCleanupFailed: 0 });
      await add(viewer, "votes", 3);
    });

    it("a value without the field is 400 INVALID_BODY, so that no record escapes the comparison", async () => {
      const { viewer } = (await votes(["value.card"])).pages;
      const { id } = await add(viewer, "votes", { card: null });
      for (const value of [
        {},
        { card: ["a"] },
        { card: {} },
        { card: "x".repeat(256) },
        ["a"],
        "a",
        1,
        null,
      ]) {
        refused(await viewer.post(PATH, value), 400, "INVALID_BODY");
        refused(await viewer.put(`${PATH}/${id}`, value), 400, "INVALID_BODY");
      }
    });

    it("of many requests at once for one value, one is stored", async () => {
      const canvas = await votes(["value.slot"]);
      const { viewer, owner, editor } = canvas.pages;
      const answers = await Promise.all(
        [viewer, owner, editor, viewer, owner, editor].map((page) => page.post(PATH, { slot: 9 })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
      assert.equal((await entriesIn(owner, "votes")).length, 1);
    });

    it("added later, it counts for later writes, which are compared with the older records as well", async () => {
      const canvas = await votes();
      const { viewer } = canvas.pages;
      const older = [await add(viewer, "votes", { card: "a" }), await add(viewer, "votes", { card: "a" })];
      await govern(target, canvas, {
        collections: { votes: { preset: "collaborative", unique: ["authorId", "value.card"] } },
      });
      assert.deepEqual(await entriesIn(viewer, "votes"), older);
      refused(await viewer.post(PATH, { card: "a" }), 409, "NOT_UNIQUE");
      refused(await viewer.put(`${PATH}/${older[0]?.id}`, { card: "a" }), 409, "NOT_UNIQUE");
      entryOf(await viewer.put(`${PATH}/${older[0]?.id}`, { card: "b" }));
      entryOf(await viewer.put(`${PATH}/${older[1]?.id}`, { card: "a" }));
      await govern(target, canvas, { collections: { votes: { preset: "collaborative" } } });
      await add(viewer, "votes", { card: "a" });
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { RuntimePolicy } from "@easel/protocol/policy";
import { type Stage, share } from "../fixture.ts";
import { collecting, govern } from "../policy.ts";
import { answered, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { add, entriesIn } from "./entry.ts";

const PHASES = { revealed: { read: "viewers", create: "none" }, closed: { create: "none" } } as const;

const PATH = "/collections/cards/phase";

const phaseOf = (phase: string | null, phases = Object.keys(PHASES)) => ({ phase, phases });

/** Tests the phases of a collection: sets of rights in its policy, of which the owner or an editor switches one on. */
export function phases(target: Target): void {
  describe("phases", () => {
    let people: Stage["people"];
    before(async () => {
      ({ people } = await collecting(target, {}));
    });
    const DOCUMENT: RuntimePolicy = {
      collections: { cards: { preset: "submissions", phases: PHASES }, plain: { preset: "collaborative" } },
    };
    const retro = () => collecting(target, DOCUMENT.collections ?? {}, people);

    it("hidden until revealed: each reads their own, then everyone all, with the very next request", async () => {
      const { owner, viewer, stranger } = (await retro()).pages;
      const [mine, theirs] = [await add(viewer, "cards", "mine"), await add(stranger, "cards", "theirs")];
      answered(await viewer.get(PATH), phaseOf(null));
      assert.deepEqual(await entriesIn(viewer, "cards"), [mine]);
      answered(await owner.put(PATH, { phase: "revealed" }), phaseOf("revealed"));
      answered(await stranger.get(PATH), phaseOf("revealed"));
      for (const page of [owner, viewer, stranger])
        assert.deepEqual(await entriesIn(page, "cards"), [mine, theirs]);
      refused(await viewer.post("/collections/cards", "late"), 403, "PERMISSION_DENIED");
      answered(await viewer.put(`/collections/cards/${mine.id}`, "mine"), {
        ...mine,
        updatedAt: (await viewer.get(`/collections/cards/${mine.id}`)).json.updatedAt,
      });
      refused(await viewer.put(`/collections/cards/${theirs.id}`, 1), 403, "PERMISSION_DENIED");
      answered(await owner.put(PATH, { phase: null }), phaseOf(null));
      refused(await viewer.get(`/collections/cards/${theirs.id}`), 404, "NOT_FOUND");
      await add(viewer, "cards", "again");
    });

    it("`resources` of /me and `permissions` have the rights of the phase", async () => {
      const { owner, viewer } = (await retro()).pages;
      await owner.put(PATH, { phase: "revealed" });
      const rights = (await viewer.get("/collections/cards/permissions")).json;
      assert.deepEqual(
        [rights.read, rights.create],
        [
          { own: true, any: true },
          { own: false, any: false },
        ],
      );
      const { resources } = (await viewer.get("/me")).json as {
        resources: { collections: Record<string, unknown> };
      };
      assert.deepEqual(resources.collections.cards, rights);
    });

    it("the owner and editors switch it: 403 PERMISSION_DENIED for others, and nothing changes", async () => {
      const canvas = await retro();
      const { owner, editor, viewer, stranger } = canvas.pages;
      answered(await editor.put(PATH, { phase: "closed" }), phaseOf("closed"));
      for (const page of [viewer, stranger])
        refused(await page.put(PATH, { phase: "revealed" }), 403, "PERMISSION_DENIED");
      answered(await owner.get(PATH), phaseOf("closed"));
      await share(target, canvas, "whole_org", { viewer: "editor" });
      answered(await viewer.put(PATH, { phase: "revealed" }), phaseOf("revealed"));
    });

    for (const body of [
      {},
      [],
      null,
      "revealed",
      { phase: "hidden" },
      { phase: "constructor" },
      { phase: "__proto__" },
      { phase: "" },
      { phase: 1 },
      { phase: ["revealed"] },
      { phases: "revealed" },
    ])
      it(`${JSON.stringify(body)}: 400 INVALID_BODY, and nothing changes`, async () => {
        const { owner } = (await retro()).pages;
        await owner.put(PATH, { phase: "closed" });
        refused(await owner.put(PATH, body), 400, "INVALID_BODY");
        answered(await owner.get(PATH), phaseOf("closed"));
      });

    it("a collection without phases, and one without a policy", async () => {
      const { owner, viewer } = (await retro()).pages;
      answered(await viewer.get("/collections/plain/phase"), phaseOf(null, []));
      refused(await owner.put("/collections/plain/phase", { phase: "revealed" }), 400, "INVALID_BODY");
      answered(await owner.put("/collections/plain/phase", { phase: null }), phaseOf(null, []));
      for (const answer of [
        await owner.get("/collections/none/phase"),
        await owner.put("/collections/none/phase", { phase: null }),
      ])
        refused(answer, 404, "COLLECTION_NOT_CONFIGURED");
    });

    it("a new policy keeps the phase; one without it has the rights of none", async () => {
      const canvas = await retro();
      const { owner, viewer } = canvas.pages;
      const card = await add(owner, "cards", 1);
      await owner.put(PATH, { phase: "revealed" });
      await govern(target, canvas, {
        collections: {
          cards: { preset: "submissions", phases: { revealed: { read: "viewers" } } },
          more: { preset: "personal" },
        },
      });
      answered(await viewer.get(PATH), phaseOf("revealed", ["revealed"]));
      assert.deepEqual(await entriesIn(viewer, "cards"), [card]);
      await govern(target, canvas, { collections: { cards: { preset: "submissions" } } });
      answered(await viewer.get(PATH), phaseOf(null, []));
      assert.deepEqual(await entriesIn(viewer, "cards"), []);
    });

    it("switches of many collections at once are all kept", async () => {
      const names = ["a", "b", "c", "d", "e", "f"];
      const table = Object.fromEntries(
        names.map((name) => [name, { preset: "personal", phases: { on: { read: "viewers" } } } as const]),
      );
      const { owner, editor, viewer } = (await collecting(target, table, people)).pages;
      const answers = await Promise.all(
        names.map((name, at) =>
          (at % 2 === 0 ? owner : editor).put(`/collections/${name}/phase`, { phase: "on" }),
        ),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        names.map(() => 200),
      );
      for (const name of names)
        assert.equal((await viewer.get(`/collections/${name}/phase`)).json.phase, "on", name);
    });
  });
}

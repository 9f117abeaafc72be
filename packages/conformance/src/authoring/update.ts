import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { manage, type Stage } from "../fixture.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { bundleOf, bundlePart, metadataPart, revise, sendForm } from "./form.ts";
import { add, isShare, listed, shareOf, studio, visit } from "./share.ts";

const LATER = Date.now() + 86_400_000;
const RESTRICTED = { access: "private", accessMode: "restricted", status: "private" } as const;
const WHOLE_ORG = { access: "whole_org", accessMode: "whole_org", status: "live" } as const;
const PUBLIC = { access: "public_link", accessMode: "public_link", status: "live" } as const;

/**
 * Updates of one share (a canvas that a page has published), made one after the other. Each row has a name for the test, the metadata to
 * send, and the fields of the share that the update changes.
 */
const ROWS: [name: string, metadata: object, changed: Partial<AuthoredCanvas>][] = [
  ["nothing", {}, {}],
  ["title", { title: "t".repeat(200) }, { title: "t".repeat(200) }],
  ["tags", { tags: ["a", "b"] }, { tags: ["a", "b"] }],
  ["tags: none", { tags: [] }, { tags: [] }],
  [
    "metadata, which replaces the former",
    { metadata: { sourceKind: "list" } },
    { metadata: { sourceKind: "list" }, sourceApp: null, sourceKind: "list" },
  ],
  ["metadata: none", { metadata: {} }, { metadata: {}, sourceKind: null }],
  ["access: whole_org", { access: "whole_org" }, WHOLE_ORG],
  ["access: specific_people", { access: "specific_people" }, RESTRICTED],
  ["access: public_link", { access: "public_link" }, PUBLIC],
  ["access: private", { access: "private" }, RESTRICTED],
  ["password", { password: "open" }, { hasPassword: true }],
  ["access: password, with the password it has", { access: "password" }, PUBLIC],
  ["password: null", { password: null }, { hasPassword: false }],
  ["password: null again", { password: null }, {}],
  ["access: password, with a new one", { access: "password", password: "open" }, { hasPassword: true }],
  ["access alone keeps the password", { access: "private" }, RESTRICTED],
  ["expiresAt", { expiresAt: LATER }, { expiresAt: LATER }],
  ["expiresAt: null", { expiresAt: null }, { expiresAt: null }],
  [
    "everything",
    { title: "New", tags: ["c"], access: "whole_org", password: null, expiresAt: LATER, metadata: { a: 1 } },
    { ...WHOLE_ORG, title: "New", tags: ["c"], hasPassword: false, expiresAt: LATER, metadata: { a: 1 } },
  ],
];

/**
 * Tests `PUT /authoring/{id}`, which updates a share (a canvas that a page has published): the effect of each field of the metadata, and of
 * a new bundle.
 */
export function updates(target: Target): void {
  describe("update", () => {
    let canvas: Stage;
    let share: AuthoredCanvas;
    before(async () => {
      canvas = await studio(target);
      share = await add(canvas.pages.owner, { title: "A share", metadata: { sourceApp: "notes" } });
    });

    for (const [name, metadata, changed] of ROWS) {
      it(`${name}: 200, and nothing else changes`, async () => {
        const next = shareOf(await revise(canvas.pages.owner, share.id, metadata));
        const { updatedAt } = next;
        assert.deepEqual(next, { ...share, ...changed, updatedAt, bundleUpdatedAt: updatedAt });
        assert.ok(name === "nothing" || updatedAt > share.updatedAt);
        assert.deepEqual(await listed(canvas.pages.owner, share), next);
        share = next;
      });
    }

    it("a share that is made private leaves the gallery", async () => {
      const { owner } = canvas.people;
      await revise(canvas.pages.owner, share.id, { access: "whole_org" });
      const path = `/api/canvases/${share.id}`;
      const listing = { galleryListed: true, galleryTemplatable: true };
      assert.equal((await manage(target, owner, "PATCH", path, listing)).status, 200);
      for (const [access, kept] of [
        ["whole_org", true],
        ["specific_people", false],
        ["whole_org", false],
      ] as const) {
        share = shareOf(await revise(canvas.pages.owner, share.id, { access }));
        assert.deepEqual([share.galleryListed, share.galleryTemplatable], [kept, kept], access);
      }
    });

    it("a bundle: a new version at the same URL", async () => {
      for (const [metadata, text] of [
        [{}, "two"],
        [{ title: "Three" }, "three"],
      ] as const) {
        const next = shareOf(await revise(canvas.pages.owner, share.id, metadata, bundleOf(text)));
        const { version, updatedAt } = next;
        assert.ok(version !== null && version !== share.version && updatedAt > share.updatedAt);
        assert.deepEqual(next, { ...share, ...metadata, version, updatedAt, bundleUpdatedAt: updatedAt });
        assert.equal((await visit(target, next, canvas.people.owner)).text, text);
        share = next;
      }
    });

    it("the bundle before the metadata: 200", async () => {
      const parts = [bundlePart(bundleOf("first")), metadataPart({ title: "Last" })];
      share = shareOf(await sendForm(canvas.pages.owner, "PUT", `/authoring/${share.id}`, parts));
      assert.equal(share.title, "Last");
      assert.equal((await visit(target, share, canvas.people.owner)).text, "first");
    });

    it("`updatedAt` advances with every write", async () => {
      const times = [share.updatedAt];
      for (let turn = 0; turn < 5; turn++)
        times.push(shareOf(await revise(canvas.pages.owner, share.id, { title: `${turn}` })).updatedAt);
      assert.deepEqual(
        times,
        [...new Set(times)].sort((a, b) => a - b),
      );
    });
  });
}

/**
 * Tests the field `expectedUpdatedAt` of an update of a share (a canvas that a page has published). The service refuses the update if this
 * time differs from the current `updatedAt` of the share.
 */
export function conflicts(target: Target): void {
  describe("compare-and-swap", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await studio(target);
    });
    const fresh = () => add(canvas.pages.viewer, { title: "A share" }, bundleOf("one"));

    it("the current `updatedAt`: 200; the former one: 409 SHARE_CONFLICT with the current share", async () => {
      const share = await fresh();
      const page = canvas.pages.viewer;
      const expectedUpdatedAt = share.updatedAt;
      const next = shareOf(await revise(page, share.id, { title: "Two", expectedUpdatedAt }));
      for (const stale of [expectedUpdatedAt, next.updatedAt + 1, 0]) {
        for (const bundle of [undefined, bundleOf("two")]) {
          const answer = await revise(page, share.id, { title: "Three", expectedUpdatedAt: stale }, bundle);
          refused(answer, 409, "SHARE_CONFLICT");
          isShare(answer.json.current);
          assert.deepEqual(answer.json.current, next);
        }
      }
      assert.deepEqual(await listed(page, share), next);
      assert.equal((await visit(target, next, canvas.people.viewer)).text, "one");
      const { updatedAt } = next;
      const last = await revise(page, share.id, { expectedUpdatedAt: updatedAt }, bundleOf("two"));
      assert.notEqual(shareOf(last).version, next.version);
    });

    it("concurrent updates of one `updatedAt`: one is saved, with and without bundles", async () => {
      for (const bundle of [undefined, bundleOf("two")]) {
        const share = await fresh();
        const { updatedAt: expectedUpdatedAt } = share;
        const answers = await Promise.all(
          ["a", "b", "c", "d"].map((title) =>
            revise(canvas.pages.viewer, share.id, { title, expectedUpdatedAt }, bundle),
          ),
        );
        const saved = answers.filter(({ status }) => status === 200);
        assert.equal(saved.length, 1);
        for (const answer of answers) if (answer.status !== 200) refused(answer, 409, "SHARE_CONFLICT");
        const { title, version } = await listed(canvas.pages.viewer, share);
        assert.deepEqual([title, version], [saved[0]?.json.title, saved[0]?.json.version]);
      }
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { disable } from "../admin.ts";
import { freshSlug, type Stage } from "../fixture.ts";
import { archive, expire } from "../lifecycle.ts";
import { JSON_TYPE } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import {
  BROKEN,
  bundleOf,
  bundlePart,
  type Metadata,
  metadataPart,
  type Part,
  revise,
  sendForm,
} from "./form.ts";
import { INVALID } from "./invalid.ts";
import { add, asStage, isShare, listed, shareOf, studio, visit } from "./share.ts";

/** The maximum size of a bundle in bytes. */
const LARGEST = 50 * 1024 * 1024;

const FORMS: [name: string, parts: Part[]][] = [
  ["no part at all", []],
  ["no metadata", [bundlePart(bundleOf("new"))]],
  ["an empty bundle", [metadataPart({ title: "New" }), bundlePart("")]],
  ["metadata twice", [metadataPart({ title: "New" }), metadataPart({ title: "New" })]],
  ["an unknown part", [metadataPart({ title: "New" }), { name: "slug", value: "new" }]],
];

const INVALID_HERE: [name: string, metadata: Metadata][] = [
  ["slug", { title: "New", slug: freshSlug() }],
  ["access password without any password", { access: "password" }],
  ["access password that clears the password", { access: "password", password: null }],
  ["tags null", { tags: null }],
  ["metadata null inside", { metadata: null }],
  ["expectedUpdatedAt that is a text", { title: "New", expectedUpdatedAt: "now" }],
];

/** Tests the refusals of `PUT /authoring/{id}`, which updates a canvas that a page has published. A refused update changes nothing. */
export function updateRefusals(target: Target): void {
  describe("update: refusals", () => {
    let canvas: Stage;
    let share: AuthoredCanvas;
    before(async () => {
      canvas = await studio(target);
      share = await add(canvas.pages.owner, { title: "A share" }, bundleOf("old"));
    });
    const put = (metadata: Metadata, bundle?: Buffer, { id } = share) =>
      revise(canvas.pages.owner, id, metadata, bundle);

    for (const [name, metadata] of [...INVALID, ...INVALID_HERE]) {
      it(`${name}: 400 INVALID_BODY, with and without a bundle`, async () => {
        refused(await put(metadata), 400, "INVALID_BODY");
        refused(await put(metadata, bundleOf("new")), 400, "INVALID_BODY");
      });
    }
    for (const [name, parts] of FORMS) {
      it(`${name}: 400 INVALID_BODY`, async () => {
        const answer = await sendForm(canvas.pages.owner, "PUT", `/authoring/${share.id}`, parts);
        refused(answer, 400, "INVALID_BODY");
      });
    }
    it("JSON: 400 INVALID_BODY", async () => {
      const { owner } = canvas.pages;
      const body = '{"title":"New"}';
      refused(await owner.send("PUT", `/authoring/${share.id}`, [JSON_TYPE], body), 400, "INVALID_BODY");
    });
    it("a bundle over 50 MiB: 413 INVALID_BODY, bundle too large", async () => {
      const answer = await put({ title: "New" }, Buffer.alloc(LARGEST + 1));
      refused(answer, 413, "INVALID_BODY");
      assert.equal(answer.json.message, "bundle too large");
    });
    it("none of them has changed the share", async () => {
      assert.deepEqual(await listed(canvas.pages.owner, share), share);
      assert.equal((await visit(target, share, canvas.people.owner)).text, "old");
    });

    it("a broken bundle: 502 UPDATE_PARTIAL; the settings are saved, the page stays", async () => {
      const own = await add(canvas.pages.owner, { title: "A share" }, bundleOf("old"));
      const { updatedAt: expectedUpdatedAt } = own;
      const answer = await put({ title: "New", tags: ["new"], expectedUpdatedAt }, BROKEN, own);
      refused(answer, 502, "UPDATE_PARTIAL");
      const { stage, current } = answer.json;
      assert.equal(stage, "deploy");
      isShare(current);
      const { updatedAt } = current;
      assert.ok(updatedAt > own.updatedAt);
      const saved = { ...own, title: "New", tags: ["new"], updatedAt, bundleUpdatedAt: updatedAt };
      assert.deepEqual(current, saved);
      assert.deepEqual(await listed(canvas.pages.owner, own), saved);
      assert.equal((await visit(target, own, canvas.people.owner)).text, "old");
    });

    it("a bundle of 50 MiB is read, and refused as it is broken", async () => {
      const own = await add(canvas.pages.owner);
      refused(await put({}, Buffer.alloc(LARGEST), own), 502, "UPDATE_PARTIAL");
    });

    it("revoked, without a bundle: 409 SHARE_REVOKED, and nothing changes", async () => {
      const own = await add(canvas.pages.owner);
      assert.equal((await canvas.pages.owner.delete(`/authoring/${own.id}`)).status, 204);
      const revoked = await listed(canvas.pages.owner, own);
      for (const metadata of [{}, { title: "New" }, { expectedUpdatedAt: revoked.updatedAt }])
        refused(await put(metadata, undefined, own), 409, "SHARE_REVOKED");
      assert.deepEqual(await listed(canvas.pages.owner, own), revoked);
    });

    it("revoked, with a broken bundle: 502 UPDATE_PARTIAL, and it stays revoked", async () => {
      const own = await add(canvas.pages.owner);
      await canvas.pages.owner.delete(`/authoring/${own.id}`);
      const answer = await put({ title: "New" }, BROKEN, own);
      refused(answer, 502, "UPDATE_PARTIAL");
      isShare(answer.json.current);
      assert.deepEqual(answer.json.current, await listed(canvas.pages.owner, own));
      const { title, publicationStatus, status } = answer.json.current;
      assert.deepEqual([title, publicationStatus, status], ["New", "unpublished", "revoked"]);
      assert.equal((await visit(target, own, canvas.people.owner)).status, 404);
    });

    it("archived and expired shares are updated, and stay so", async () => {
      for (const [enter, state] of [
        [archive, "archived"],
        [expire, "expired"],
      ] as const) {
        const own = await add(canvas.pages.owner, { title: "A share", access: "whole_org" });
        await enter(target, asStage(target, canvas, own));
        assert.equal(shareOf(await put({ title: "New" }, undefined, own)).publicationStatus, state);
        const next = shareOf(await put({}, bundleOf("new"), own));
        assert.equal(next.publicationStatus, state);
        assert.notEqual(next.version, own.version);
      }
    });

    it("disabled: 409 DISABLED for PUT and DELETE, and nothing changes", async () => {
      const own = await add(canvas.pages.owner);
      await disable(target, asStage(target, canvas, own));
      const before = await listed(canvas.pages.owner, own);
      refused(await put({ title: "New" }, undefined, own), 409, "DISABLED");
      refused(await put({}, bundleOf("new"), own), 409, "DISABLED");
      refused(await canvas.pages.owner.delete(`/authoring/${own.id}`), 409, "DISABLED");
      assert.equal(before.publicationStatus, "disabled");
      assert.deepEqual(await listed(canvas.pages.owner, own), before);
    });
  });
}

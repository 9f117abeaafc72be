import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { freshSlug, manage, type Stage } from "../fixture.ts";
import { JSON_TYPE } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import {
  author,
  BROKEN,
  bundleOf,
  bundlePart,
  FORM_TYPE,
  formOf,
  type Metadata,
  metadataPart,
  type Part,
  revise,
  sendForm,
} from "./form.ts";
import { INVALID } from "./invalid.ts";
import { add, listed, shareOf, sharesOf, studio, visit } from "./share.ts";

const SHARE = { title: "A share" };
const METADATA = metadataPart(SHARE);
const BUNDLE = bundlePart(bundleOf("a page"));

/** Forms whose parts are missing, empty, repeated, unknown or not UTF-8. */
const FORMS: [name: string, parts: Part[]][] = [
  ["no part at all", []],
  ["no metadata", [BUNDLE]],
  ["no bundle", [METADATA]],
  ["an empty bundle", [METADATA, bundlePart("")]],
  ["an empty bundle before the metadata", [bundlePart(""), METADATA]],
  ["metadata twice", [METADATA, METADATA, BUNDLE]],
  ["a bundle twice", [METADATA, BUNDLE, BUNDLE]],
  ["metadata that is not UTF-8", [{ ...METADATA, value: Buffer.from('{"title":"\xff"}', "latin1") }, BUNDLE]],
  ["an unknown part", [METADATA, BUNDLE, { name: "title", value: "A share" }]],
  ["an unknown file", [METADATA, { ...BUNDLE, name: "file" }, BUNDLE]],
];

/**
 * Each row has a name for the test, and metadata that only `POST /authoring` must refuse. `INVALID` has the metadata that both `POST
 * /authoring` and `PUT /authoring/{id}` must refuse.
 */
const INVALID_HERE: [name: string, metadata: Metadata][] = [
  ["no title", { tags: [] }],
  ["access password without a password", { ...SHARE, access: "password" }],
  ["expectedUpdatedAt", { ...SHARE, expectedUpdatedAt: Date.now() }],
  ["slug that is a number", { ...SHARE, slug: 123 }],
];

const SLUGS = [
  "",
  "ab",
  "a".repeat(64),
  "-abc",
  "abc-",
  "Abc",
  "a b c",
  "a_b",
  "été",
  "xn--abc",
  "api",
  "../abc",
];

/** Bodies that are not a complete multipart form. */
const BODIES: [name: string, type: string, body: string | Buffer][] = [
  ["JSON", JSON_TYPE[1], JSON.stringify(SHARE)],
  ["a zip", "application/zip", bundleOf("a page")],
  ["a form of another kind", "application/x-www-form-urlencoded", "metadata=%7B%7D&bundle=x"],
  ["a form without its boundary", "multipart/form-data", formOf([METADATA, BUNDLE])],
  ["a form that is cut off", FORM_TYPE, formOf([METADATA, BUNDLE]).subarray(0, -60)],
];

/** Tests the requests that `POST /authoring` must refuse. A refused request must not create a canvas. */
export function publishRefusals(target: Target): void {
  describe("publish: refusals", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await studio(target);
    });
    const owned = async () => {
      const { json } = await manage(target, canvas.people.owner, "GET", "/api/canvases?limit=1000");
      return (json.canvases as { id: string }[]).map(({ id }) => id);
    };

    for (const [name, type, body] of BODIES) {
      it(`${name}: 400 INVALID_BODY`, async () => {
        const answer = await canvas.pages.owner.send("POST", "/authoring", [["Content-Type", type]], body);
        refused(answer, 400, "INVALID_BODY");
      });
    }
    it("no body and no type: 400 INVALID_BODY", async () => {
      refused(await canvas.pages.owner.send("POST", "/authoring"), 400, "INVALID_BODY");
    });
    for (const [name, parts] of FORMS) {
      it(`${name}: 400 INVALID_BODY`, async () => {
        refused(await sendForm(canvas.pages.owner, "POST", "/authoring", parts), 400, "INVALID_BODY");
      });
    }
    for (const [name, metadata] of [...INVALID, ...INVALID_HERE]) {
      it(`${name}: 400 INVALID_BODY`, async () => {
        const answer = await author(canvas.pages.owner, metadata);
        refused(answer, 400, "INVALID_BODY");
        assert.equal("reason" in answer.json, false, answer.text);
      });
    }
    for (const slug of SLUGS) {
      it(`slug ${JSON.stringify(slug).slice(0, 12)}: 400 INVALID_BODY, reason invalid_slug`, async () => {
        const answer = await author(canvas.pages.owner, { ...SHARE, slug });
        refused(answer, 400, "INVALID_BODY");
        assert.equal(answer.json.reason, "invalid_slug");
      });
    }
    it("a slug in use: 409 SLUG_TAKEN, also for a broken bundle", async () => {
      for (const bundle of [bundleOf("a page"), BROKEN])
        refused(await author(canvas.pages.owner, { ...SHARE, slug: canvas.slug }, bundle), 409, "SLUG_TAKEN");
    });
    it("a bundle over 50 MiB: 413 INVALID_BODY, bundle too large", async () => {
      const answer = await author(canvas.pages.owner, SHARE, Buffer.alloc(50 * 1024 * 1024 + 1));
      refused(answer, 413, "INVALID_BODY");
      assert.equal(answer.json.message, "bundle too large");
    });
    it("none of them has made a canvas", async () => {
      assert.deepEqual(await owned(), [canvas.id]);
      assert.deepEqual(await sharesOf(canvas.pages.owner), []);
    });

    for (const [name, bundle] of [
      ["that is cut off", BROKEN],
      ["that is no zip", Buffer.from("PK, but no zip")],
      ["with a path outside it", bundleOf({ "index.html": "a page", "../outside.html": "evil" })],
    ] as const) {
      it(`a bundle ${name}: 502 PUBLISH_FAILED with the id of a draft, which PUT publishes`, async () => {
        const slug = freshSlug();
        const page = canvas.pages.viewer;
        const answer = await author(page, { title: "Failed", slug, tags: ["failed"] }, bundle);
        refused(answer, 502, "PUBLISH_FAILED");
        const id = String(answer.json.id);
        const draft = await listed(page, { id });
        assert.deepEqual(
          [draft.title, draft.tags, draft.publicationStatus, draft.version, draft.revokedAt],
          ["Failed", ["failed"], "draft", null, null],
        );
        assert.equal((await visit(target, draft, canvas.people.viewer)).status, 404);
        refused(await author(page, { ...SHARE, slug }), 409, "SLUG_TAKEN");
        const share = shareOf(await revise(page, id, {}, bundleOf("whole")));
        assert.deepEqual([share.id, share.url, share.publicationStatus], [id, draft.url, "published"]);
        assert.equal((await visit(target, share, canvas.people.viewer)).text, "whole");
      });
    }

    it("a failed publish changes no other share", async () => {
      const share = await add(canvas.pages.editor);
      refused(await author(canvas.pages.editor, SHARE, BROKEN), 502, "PUBLISH_FAILED");
      assert.deepEqual(await listed(canvas.pages.editor, share), share);
    });
  });
}

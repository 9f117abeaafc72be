import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { Browser } from "../browser.ts";
import { freshSlug, manage, type Role, type Stage } from "../fixture.ts";
import type { Header } from "../http.ts";
import { JSON_TYPE, open, pageUrl } from "../page.ts";
import { idOf } from "../person-id.ts";
import { disabled, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import {
  author,
  bundleOf,
  bundlePart,
  FORM_TYPE,
  formOf,
  metadataPart,
  type Part,
  sendForm,
} from "./form.ts";
import { add, listed, shareOf, sharesOf, slugOf, studio, visit } from "./share.ts";

/** The fields of a canvas that was published with only a title. */
const PLAIN = {
  title: "A share",
  tags: [],
  access: "private",
  accessMode: "restricted",
  publicationStatus: "published",
  hasPassword: false,
  status: "private",
  expiresAt: null,
  galleryListed: false,
  galleryTemplatable: false,
  discoverability: "link_only",
  revokedAt: null,
  viewerRole: "owner",
  audienceSummary: { count: 0, names: [] },
  sourceApp: null,
  sourceKind: null,
  metadata: {},
} satisfies Partial<AuthoredCanvas>;

const LATER = Date.now() + 86_400_000;
const TWENTY = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(64, "t"));
const WHOLE_ORG = { access: "whole_org", accessMode: "whole_org", status: "live" } as const;
const PUBLIC = { access: "public_link", accessMode: "public_link", status: "live" } as const;
const SOURCE = { sourceApp: "notes", sourceKind: "board", nested: { list: [1, null, "é"] } };
const UNUSUAL = { constructor: "x", sourceapp: "notes", nul: "\0", "": [{}] };
/** Metadata of exactly 16 KiB as JSON, which is the maximum. */
const LARGEST = { text: "x".repeat(16 * 1024 - '{"text":""}'.length) };

/**
 * Each row is a request to `POST /authoring`. The request sends the title “A share” and the fields of `metadata`, which may have another
 * title. `share` has the fields in which the published canvas must differ from `PLAIN`.
 */
const ROWS: [name: string, metadata: object, share: Partial<AuthoredCanvas>][] = [
  ["a title alone", {}, {}],
  ["a title of one character", { title: "x" }, { title: "x" }],
  ["a title of 200 characters", { title: "é".repeat(200) }, { title: "é".repeat(200) }],
  ["no tags", { tags: [] }, {}],
  ["a tag of one character", { tags: ["x"] }, { tags: ["x"] }],
  ["20 tags of 64 characters", { tags: TWENTY }, { tags: TWENTY }],
  ["access private", { access: "private" }, {}],
  ["access specific_people, an alias of private", { access: "specific_people" }, {}],
  ["access whole_org", { access: "whole_org" }, WHOLE_ORG],
  ["access public_link", { access: "public_link" }, PUBLIC],
  [
    "access password: a Public link with one",
    { access: "password", password: "open, sesame" },
    { ...PUBLIC, hasPassword: true },
  ],
  ["a password on a private share", { password: "p" }, { hasPassword: true }],
  [
    "a password of 200 characters on a Public link",
    { access: "public_link", password: "p".repeat(200) },
    { ...PUBLIC, hasPassword: true },
  ],
  [
    "a password for the organisation",
    { access: "whole_org", password: "open" },
    { ...WHOLE_ORG, hasPassword: true },
  ],
  ["an expiry", { expiresAt: LATER }, { expiresAt: LATER }],
  ["empty metadata", { metadata: {} }, {}],
  [
    "metadata with a source",
    { metadata: SOURCE },
    { metadata: SOURCE, sourceApp: "notes", sourceKind: "board" },
  ],
  [
    "metadata with a source that is no text",
    { metadata: { sourceApp: 1, sourceKind: ["board"] } },
    { metadata: { sourceApp: 1, sourceKind: ["board"] } },
  ],
  ["metadata with unusual names and values", { metadata: UNUSUAL }, { metadata: UNUSUAL }],
  ["metadata of 16 KiB", { metadata: LARGEST }, { metadata: LARGEST }],
];

/** Tests `POST /authoring`: every field of the form, and the canvas that the request publishes. */
export function publishes(target: Target): void {
  describe("publish", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await studio(target);
    });
    const roles = ["owner", "editor", "viewer"] as const satisfies Role[];

    for (const [index, [name, metadata, expected]] of ROWS.entries()) {
      const role = roles[index % roles.length] ?? "viewer";
      it(`${name}, by the ${role}: 200 with the share, listed like this`, async () => {
        const page = canvas.pages[role];
        const share = await add(page, { title: "A share", ...metadata });
        const { id, url, createdAt, updatedAt, createdBy, version, bundleUpdatedAt, ...rest } = share;
        assert.deepEqual(rest, { ...PLAIN, ...expected });
        assert.equal(url, pageUrl(target, slugOf(target, share)));
        assert.equal(createdBy, await idOf(page));
        assert.ok(Math.abs(createdAt - Date.now()) < 3_600_000 && updatedAt >= createdAt);
        assert.ok(version !== null && bundleUpdatedAt === updatedAt);
        assert.deepEqual(await listed(page, { id }), share);
      });
    }

    it("a slug: the share is at its URL", async () => {
      const slug = freshSlug();
      const share = await add(canvas.pages.editor, { title: "A share", slug }, bundleOf("at its slug"));
      assert.equal(share.url, pageUrl(target, slug));
      const page = await visit(target, share, canvas.people.editor);
      assert.deepEqual([page.status, page.text], [200, "at its slug"]);
    });

    it("without a slug: a URL of its own, also for the same title", async () => {
      const shares = [await add(canvas.pages.editor), await add(canvas.pages.editor)];
      assert.equal(new Set(shares.map((share) => slugOf(target, share))).size, 2);
    });

    it("the account of the caller owns it: private, with its backend off", async () => {
      const share = await add(canvas.pages.viewer, { title: "Mine" }, bundleOf("mine"));
      const { viewer, owner } = canvas.people;
      const { json } = await manage(target, viewer, "GET", `/api/canvases/${share.id}`);
      assert.deepEqual([json.viewerRole, (json.owner as { email: string }).email], ["owner", viewer.email]);
      assert.equal((await manage(target, owner, "GET", `/api/canvases/${share.id}`)).status, 404);
      assert.equal((await visit(target, share, viewer)).text, "mine");
      assert.equal((await visit(target, share, owner)).status, 404);
      disabled(await open(target, slugOf(target, share), viewer).get("/kv"), "kv", "backend_off");
    });

    it("a Public link with a password: anyone who has it", async () => {
      const metadata = { title: "A share", access: "password", password: "open, sesame" };
      const share = await add(canvas.pages.viewer, metadata, bundleOf("locked"));
      const slug = slugOf(target, share);
      const browser = new Browser(target);
      assert.equal((await browser.canvas(slug)).status, 403);
      assert.equal((await browser.unlock(slug, "open sesame")).status, 403);
      assert.equal((await browser.unlock(slug, "open, sesame")).status, 303);
      assert.equal((await browser.canvas(slug)).text, "locked");
    });

    const metadata = metadataPart({ title: "A share" });
    const bundle = bundlePart(bundleOf("a page"));
    const forms: [name: string, parts: Part[]][] = [
      ["the bundle first", [bundle, metadata]],
      ["the metadata as a file of JSON", [{ ...metadata, file: "blob", type: JSON_TYPE[1] }, bundle]],
      [
        "the bundle as bytes of no type",
        [metadata, { ...bundle, file: "x", type: "application/octet-stream" }],
      ],
    ];
    for (const [name, parts] of forms) {
      it(`${name}: 200`, async () => {
        const share = shareOf(await sendForm(canvas.pages.owner, "POST", "/authoring", parts));
        assert.equal((await visit(target, share, canvas.people.owner)).text, "a page");
      });
    }

    it("a form in chunks, without its length: 200", async () => {
      const headers: Header[] = [
        ["Content-Type", FORM_TYPE],
        ["Transfer-Encoding", "chunked"],
      ];
      const form = formOf([metadata, bundle]);
      const share = shareOf(await canvas.pages.owner.send("POST", "/authoring", headers, form));
      assert.equal((await visit(target, share, canvas.people.owner)).text, "a page");
    });

    it("concurrent requests for one slug: one has it, the others are SLUG_TAKEN and leave nothing", async () => {
      const before = await sharesOf(canvas.pages.viewer);
      const slug = freshSlug();
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => author(canvas.pages.viewer, { title: "A share", slug })),
      );
      const refusals = answers.filter(({ status }) => status !== 200);
      assert.equal(refusals.length, 3);
      for (const answer of refusals) refused(answer, 409, "SLUG_TAKEN");
      assert.equal((await sharesOf(canvas.pages.viewer)).length, before.length + 1);
    });
  });
}

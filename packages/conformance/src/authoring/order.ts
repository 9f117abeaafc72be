import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import type { AuthoredCanvas } from "@easel/protocol/types";
import { disable, mayPublish } from "../admin.ts";
import { manage, type Stage, turn } from "../fixture.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { author, BROKEN, bundleOf, type Metadata, revise } from "./form.ts";
import { add, asStage, sharesOf, studio, visit } from "./share.ts";

type Refusal = [status: number, code: ErrorCode];
const INVALID: Refusal = [400, "INVALID_BODY"];

const PAST = Date.now() - 1;
const WHOLE = bundleOf("new");
const HUGE = { text: "x".repeat(17 * 1024) };
const PUBLIC = { access: "public_link" } as const;
const LOCKED = { access: "password", password: "p" } as const;

/**
 * Requests to `POST /authoring`. Each has two faults, and the service must report only the fault that `name` has before the word “before”.
 * `refusal` and `reason` are the expected error. The sender may not publish Public links, and the slug `taken` stands for one that is in
 * use.
 */
const POSTED: [
  name: string,
  metadata: Metadata,
  bundle: Buffer | string,
  refusal: Refusal,
  reason?: string,
][] = [
  ["JSON before an empty bundle", "{", "", INVALID],
  ["schema before Public links", { ...PUBLIC, title: "" }, WHOLE, INVALID],
  ["schema before slug", { title: "", slug: "taken" }, WHOLE, INVALID],
  ["empty bundle before Public links", PUBLIC, "", INVALID],
  ["empty bundle before slug", { slug: "taken" }, "", INVALID],
  ["metadata size before Public links", { ...PUBLIC, metadata: HUGE }, WHOLE, INVALID],
  ["a missing password before Public links", { access: "password" }, WHOLE, INVALID],
  ["Public links before expiry", { ...PUBLIC, expiresAt: PAST }, WHOLE, [403, "PUBLIC_NOT_ALLOWED"]],
  ["Public links before slug", { ...PUBLIC, slug: "taken" }, WHOLE, [403, "PUBLIC_NOT_ALLOWED"]],
  ["Public links with a password before slug", { ...LOCKED, slug: "No" }, WHOLE, [403, "PUBLIC_NOT_ALLOWED"]],
  ["Public links before a broken bundle", PUBLIC, BROKEN, [403, "PUBLIC_NOT_ALLOWED"]],
  ["expiry before slug in use", { expiresAt: PAST, slug: "taken" }, WHOLE, INVALID],
  ["slug in use before a broken bundle", { slug: "taken" }, BROKEN, [409, "SLUG_TAKEN"]],
  ["invalid slug before a broken bundle", { slug: "No" }, BROKEN, INVALID, "invalid_slug"],
];

/**
 * Requests that update a canvas that a page has published (`PUT /authoring/{id}`), each with two faults. `name` says which fault must be
 * reported, and `refusal` is the error for it. `state` is the state of the canvas; a `foreign` canvas is one on which the sender has no
 * role.
 */
const PUTTED: [
  name: string,
  state: "live" | "revoked" | "disabled" | "foreign",
  metadata: Metadata,
  bundle: Buffer | string | undefined,
  refusal: Refusal,
][] = [
  ["no role before a form fault", "foreign", "{", "", [404, "NOT_FOUND"]],
  ["no role before Public links", "foreign", PUBLIC, undefined, [404, "NOT_FOUND"]],
  ["disabled before a form fault", "disabled", "{", "", [409, "DISABLED"]],
  ["disabled before Public links", "disabled", PUBLIC, undefined, [409, "DISABLED"]],
  ["disabled before a stale updatedAt", "disabled", { expectedUpdatedAt: 1 }, undefined, [409, "DISABLED"]],
  ["schema before revoked", "revoked", { title: "" }, undefined, INVALID],
  ["JSON before revoked", "revoked", "{", undefined, INVALID],
  ["empty bundle before revoked", "revoked", { title: "New" }, "", INVALID],
  ["revoked before Public links", "revoked", PUBLIC, undefined, [409, "SHARE_REVOKED"]],
  [
    "revoked before a stale updatedAt",
    "revoked",
    { expectedUpdatedAt: 1 },
    undefined,
    [409, "SHARE_REVOKED"],
  ],
  ["schema before Public links", "live", { ...PUBLIC, title: "" }, undefined, INVALID],
  ["empty bundle before Public links", "live", PUBLIC, "", INVALID],
  ["schema before a stale updatedAt", "live", { title: "", expectedUpdatedAt: 1 }, undefined, INVALID],
  [
    "Public links before expiry",
    "live",
    { ...PUBLIC, expiresAt: PAST },
    undefined,
    [403, "PUBLIC_NOT_ALLOWED"],
  ],
  [
    "Public links before a stale updatedAt",
    "live",
    { ...PUBLIC, expectedUpdatedAt: 1 },
    undefined,
    [403, "PUBLIC_NOT_ALLOWED"],
  ],
  ["expiry before a stale updatedAt", "live", { expiresAt: PAST, expectedUpdatedAt: 1 }, undefined, INVALID],
  ["Public links before a broken bundle", "live", PUBLIC, BROKEN, [403, "PUBLIC_NOT_ALLOWED"]],
  [
    "a stale updatedAt before a broken bundle",
    "live",
    { expectedUpdatedAt: 1 },
    BROKEN,
    [409, "SHARE_CONFLICT"],
  ],
];

/** Tests the order of the checks: if a request has two faults, the response reports the one that is checked first. */
export function order(target: Target): void {
  describe("order of refusals", () => {
    let canvas: Stage;
    const shares = {} as Record<(typeof PUTTED)[number][1], AuthoredCanvas>;
    before(async () => {
      canvas = await studio(target);
      const { owner, viewer } = canvas.pages;
      for (const state of ["live", "revoked", "disabled"] as const)
        shares[state] = await add(owner, { title: state }, bundleOf("old"));
      shares.foreign = await add(viewer, { title: "foreign" }, bundleOf("old"));
      await owner.delete(`/authoring/${shares.revoked.id}`);
      await disable(target, asStage(target, canvas, shares.disabled));
      await mayPublish(target, canvas.people.owner, false);
    });
    const state = async () => [
      await sharesOf(canvas.pages.owner),
      await sharesOf(canvas.pages.viewer),
      (await manage(target, canvas.people.owner, "GET", "/api/canvases?limit=1000")).json,
    ];

    it("POST: the earlier of two faults, and nothing is made", async () => {
      const before = await state();
      for (const [name, metadata, bundle, refusal, reason] of POSTED) {
        const slug = (metadata as { slug?: string }).slug === "taken" ? { slug: canvas.slug } : {};
        const form = typeof metadata === "string" ? metadata : { title: "A share", ...metadata, ...slug };
        const answer = await author(canvas.pages.owner, form, bundle);
        assert.deepEqual(
          [name, answer.status, answer.json.code, answer.json.reason],
          [name, ...refusal, reason],
        );
      }
      assert.deepEqual(await state(), before);
    });

    it("PUT: the earlier of two faults, and nothing changes", async () => {
      const before = await state();
      for (const [name, at, metadata, bundle, refusal] of PUTTED) {
        const answer = await revise(canvas.pages.owner, shares[at].id, metadata, bundle);
        assert.deepEqual([name, answer.status, answer.json.code], [name, ...refusal]);
      }
      assert.deepEqual(await state(), before);
      assert.equal((await visit(target, shares.live, canvas.people.owner)).text, "old");
    });

    it("the capability is checked first, then the audience, then the form", async () => {
      const { viewer } = canvas.pages;
      await turn(target, canvas, { authoringAudience: "editors" });
      refused(await author(viewer, "{", ""), 403, "PERMISSION_DENIED");
      refused(await revise(viewer, "a-1", "{", ""), 403, "PERMISSION_DENIED");
      await turn(target, canvas, { authoring: false });
      refused(await author(viewer, "{", ""), 403, "CAPABILITY_DISABLED");
      await turn(target, canvas, { authoring: true, authoringAudience: "viewers" });
      refused(await author(viewer, "{", ""), 400, "INVALID_BODY");
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { ErrorCode } from "@easel/protocol/errors";
import { readableFrom, unreadable, withoutCors } from "../cors.ts";
import { freshSlug, type Stage } from "../fixture.ts";
import type { Answer, Header } from "../http.ts";
import { call, pageOrigin, pageUrl } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { author, BROKEN, bundleOf, bundlePart, FORM_TYPE, formOf, metadataPart, revise } from "./form.ts";
import { add, sharesOf, slugOf, studio, visit } from "./share.ts";

type Foreign = [name: string, header: Header, code: ErrorCode];

/**
 * Returns headers that a browser sends with a request to the canvas `own` from a page elsewhere, such as a page of the canvas `other`. Each
 * row has a name for the sender, the header, and the error code with which the service must refuse the request.
 */
const foreign = (target: Target, own: string, other: string): Foreign[] =>
  target.urlMode === "subdomain"
    ? [
        ["another canvas", ["Origin", pageOrigin(target, other)], "CROSS_CANVAS_FORBIDDEN"],
        ["the base host", ["Origin", target.base], "CROSS_CANVAS_FORBIDDEN"],
        ["an opaque origin", ["Origin", "null"], "CROSS_CANVAS_FORBIDDEN"],
        [
          "another site",
          ["Origin", `${pageOrigin(target, own)}.elsewhere.example`],
          "CROSS_CANVAS_FORBIDDEN",
        ],
      ]
    : [
        ["another canvas", ["Referer", pageUrl(target, other)], "CROSS_CANVAS_FORBIDDEN"],
        ["the base host", ["Referer", `${target.base}/`], "CROSS_CANVAS_FORBIDDEN"],
        ["another site", ["Sec-Fetch-Site", "cross-site"], "CROSS_SITE_FORBIDDEN"],
        ["another host of the site", ["Sec-Fetch-Site", "same-site"], "CROSS_SITE_FORBIDDEN"],
      ];

/**
 * Tests that only the page of the canvas itself can use authoring and read the responses. Also tests the URL of a canvas that a page has
 * published.
 */
export function origins(target: Target): void {
  describe("origins", () => {
    let canvas: Stage;
    let other: Stage;
    before(async () => {
      canvas = await studio(target);
      other = await studio(target, { people: canvas.people });
    });

    it("its own page: every answer is readable, refusals included", async () => {
      const { owner, viewer } = canvas.pages;
      const made = await author(viewer, { title: "A share" });
      const id = String(made.json.id);
      const answers: Answer[] = [
        made,
        await viewer.get("/authoring"),
        await revise(viewer, id, { title: "New" }),
        await revise(viewer, id, {}, BROKEN),
        await revise(viewer, id, { expectedUpdatedAt: 0 }),
        await revise(owner, id, { title: "New" }),
        await author(owner, {}),
        await author(owner, { title: "A share", slug: canvas.slug }),
        await viewer.delete(`/authoring/${id}`),
      ];
      for (const answer of answers) {
        if (target.urlMode === "subdomain") readableFrom(answer, pageOrigin(target, canvas.slug));
        else withoutCors(answer);
      }
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 502, 409, 404, 400, 409, 204],
      );
    });

    it("pages elsewhere are refused on every route, and nothing changes", async () => {
      const share = await add(canvas.pages.owner);
      const before = await sharesOf(canvas.pages.owner);
      const form = formOf([metadataPart({ title: "Elsewhere" }), bundlePart(bundleOf("new"))]);
      for (const [name, from, code] of foreign(target, canvas.slug, other.slug)) {
        const ask = (method: string, path: string) =>
          call(
            target,
            canvas.slug,
            canvas.people.owner,
            method,
            path,
            [from, ["Content-Type", FORM_TYPE]],
            method === "GET" ? undefined : form,
          );
        for (const answer of [
          await ask("POST", "/authoring"),
          await ask("PUT", `/authoring/${share.id}`),
          await ask("PUT", "/authoring/a-1"),
          await ask("GET", "/authoring"),
          await ask("DELETE", `/authoring/${share.id}`),
        ]) {
          refused(answer, 403, code);
          unreadable(answer);
        }
        assert.deepEqual(await sharesOf(canvas.pages.owner), before, name);
      }
    });

    it("a share is served at its URL while it is published, and its page cannot reach the canvas that made it", async () => {
      const slug = freshSlug();
      const share = await add(canvas.pages.editor, { title: "A share", slug }, bundleOf("served"));
      assert.deepEqual([slugOf(target, share), share.url], [slug, pageUrl(target, slug)]);
      assert.equal((await visit(target, share, canvas.people.editor)).text, "served");
      const from: Header =
        target.urlMode === "subdomain" ? ["Origin", pageOrigin(target, slug)] : ["Referer", share.url];
      const answer = await call(target, canvas.slug, canvas.people.editor, "GET", "/authoring", [from]);
      refused(answer, 403, "CROSS_CANVAS_FORBIDDEN");
      assert.equal((await canvas.pages.editor.delete(`/authoring/${share.id}`)).status, 204);
      assert.equal((await visit(target, share, canvas.people.editor)).status, 404);
    });
  });
}

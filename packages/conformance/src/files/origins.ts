import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { readableFrom, unreadable, withoutCors } from "../cors.ts";
import { type Stage, stage } from "../fixture.ts";
import type { Answer, Header } from "../http.ts";
import { call, JSON_TYPE, pageOrigin } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { FORM_TYPE, formOf, upload } from "./form.ts";
import { contentOf, filesIn, pathOf, uploadedOf } from "./record.ts";

/** Tests that the page of a canvas can read all responses about the canvas's files, and that the page of another canvas is refused. */
export function origins(target: Target): void {
  describe("origins", () => {
    let canvas: Stage;
    let other: Stage;
    before(async () => {
      canvas = await stage(target);
      other = await stage(target, { people: canvas.people });
    });

    it("its own page: every answer is readable, bytes, parts and refusals included", async () => {
      const { owner, viewer } = canvas.pages;
      const made = await upload(owner);
      const { id } = uploadedOf(made);
      const answers: Answer[] = [
        made,
        await viewer.get("/files"),
        await viewer.get(contentOf({ id })),
        await viewer.send("HEAD", contentOf({ id })),
        await viewer.send("GET", contentOf({ id }), [["Range", "bytes=0-1"]]),
        await viewer.send("GET", contentOf({ id }), [["Range", "bytes=99-"]]),
        await upload(viewer),
        await viewer.get(contentOf({ id: "f-1" })),
        await owner.send("PATCH", pathOf({ id }), [JSON_TYPE], '{"name":"b"}'),
        await owner.delete(pathOf({ id })),
      ];
      for (const answer of answers) {
        if (target.urlMode === "subdomain") readableFrom(answer, pageOrigin(target, canvas.slug));
        else withoutCors(answer);
      }
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 200, 200, 200, 206, 416, 403, 404, 200, 200],
      );
    });

    it("another canvas's page: CROSS_CANVAS_FORBIDDEN, and nothing is stored", async () => {
      const { id } = uploadedOf(await upload(canvas.pages.owner));
      const before = await filesIn(canvas.pages.owner);
      const from: Header =
        target.urlMode === "subdomain"
          ? ["Origin", pageOrigin(target, other.slug)]
          : ["Referer", `${target.base}/c/${other.slug}/`];
      const type: Header = ["Content-Type", FORM_TYPE];
      const ask = (method: string, path: string, ...more: Header[]) =>
        call(target, canvas.slug, canvas.people.owner, method, path, [from, ...more], formOf({}));
      for (const answer of [
        await ask("GET", "/files"),
        await ask("GET", contentOf({ id })),
        await ask("POST", "/files", type),
        await ask("PATCH", pathOf({ id }), JSON_TYPE),
        await ask("DELETE", pathOf({ id })),
      ]) {
        refused(answer, 403, "CROSS_CANVAS_FORBIDDEN");
        unreadable(answer);
      }
      assert.deepEqual(await filesIn(canvas.pages.owner), before);
    });
  });
}

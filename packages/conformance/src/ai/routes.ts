import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import { JSON_TYPE } from "../page.ts";
import { refused, unshared, wrongMethod } from "../refusal.ts";
import type { Target } from "../target.ts";
import { ask } from "./chat.ts";

const UNKNOWN_PATHS = ["/ai", "/ai/", "/ai/chat/", "/ai/chat/more", "/ai/models", "/ai/Chat", "/aichat"];

/**
 * Tests that `/ai/chat` allows only POST, and that any other path that begins with `/ai` responds with 404. Also tests that no cache may
 * store an error response of these routes.
 */
export function routes(target: Target): void {
  describe("routes", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });

    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      it(`${method} /ai/chat: 405 METHOD_NOT_ALLOWED, Allow: POST`, async () => {
        const { owner, viewer } = canvas.pages;
        for (const page of [owner, viewer])
          wrongMethod(await page.send(method, "/ai/chat", [JSON_TYPE], "{}"), ["POST"]);
      });
    }

    for (const path of UNKNOWN_PATHS) {
      it(`${path}: 404 NOT_FOUND`, async () => {
        for (const method of ["GET", "POST", "DELETE"])
          refused(await canvas.pages.owner.send(method, path, [JSON_TYPE], "{}"), 404, "NOT_FOUND");
      });
    }

    it("refusals are private, no-store", async () => {
      const { owner } = canvas.pages;
      for (const answer of [await ask(owner, "{"), await owner.get("/ai/chat"), await owner.get("/ai/x")])
        unshared(answer);
    });
  });
}

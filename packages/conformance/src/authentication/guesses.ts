import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Browser } from "../browser.ts";
import { type Cast, cast, stage } from "../fixture.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { PASSWORD } from "./site.ts";

const PATIENCE = 100;
const JSON_ONLY = ["Accept", "application/json"] as [string, string];

/** Tests the limit on wrong passwords per minute and client address. It counts the guesses of all callers on all canvases together. */
export function guesses(target: Target): void {
  describe("guessing passwords", () => {
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });

    it("429 RATE_LIMITED after some wrong ones, then to the right one and on other canvases, too", async () => {
      const setup = { people, access: "whole_org", terms: { password: PASSWORD } } as const;
      const [first, second] = [await stage(target, setup), await stage(target, setup)];
      const browser = new Browser(target, people.viewer);
      const guess = (password: string, slug = first.slug) => browser.unlock(slug, password, JSON_ONLY);
      let wrong = 0;
      let answer = await guess("wrong");
      for (; answer.status === 403 && wrong < PATIENCE; wrong++) {
        refused(answer, 403, "PASSWORD_REQUIRED");
        answer = await guess(`wrong ${wrong}`);
      }
      refused(answer, 429, "RATE_LIMITED");
      assert.match(String(answer.headers["retry-after"]), /^[1-9]\d?$/);
      refused(await guess(PASSWORD), 429, "RATE_LIMITED");
      refused(await guess(PASSWORD, second.slug), 429, "RATE_LIMITED");
      const another = new Browser(target, people.stranger);
      refused(await another.unlock(first.slug, PASSWORD, JSON_ONLY), 429, "RATE_LIMITED");
      assert.equal(another.gateCookie(first.slug), undefined);
    });
  });
}

import { describe } from "node:test";
import { content } from "./serving/content.ts";
import { states } from "./serving/states.ts";
import type { Target } from "./target.ts";

/**
 * Tests how the files of a canvas are served at its URL (specification 1; docs/publishing.md#serving). The password form is tested
 * elsewhere, with authentication.
 */
export function serving(target: Target): void {
  if (target.rateLimited) return;
  describe("serving", () => {
    content(target);
    states(target);
  });
}

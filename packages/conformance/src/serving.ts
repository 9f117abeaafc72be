import { describe } from "node:test";
import { content } from "./serving/content.ts";
import { states } from "./serving/states.ts";
import type { Target } from "./target.ts";

/** Tests how canvases are served (specification 1, management API, section 3). The password gate is part of section 5. */
export function serving(target: Target): void {
  if (target.rateLimited) return;
  describe("serving", () => {
    content(target);
    states(target);
  });
}

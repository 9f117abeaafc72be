import { randomInt } from "node:crypto";
import anyAscii from "any-ascii";
import { isSlug } from "../../http/canvas-path.ts";
import { refuse } from "../../http/refusal.ts";
import { hyphenated, isAllowedSlug, withoutUmlauts } from "./slug-rules.ts";

export { isAllowedSlug };

/** Throws 400 `INVALID_BODY` with `reason: invalid_slug` for a slug that is malformed or reserved for the service. */
export function requireSlug(slug: string): void {
  if (isAllowedSlug(slug)) return;
  refuse("INVALID_BODY", {
    reason: "invalid_slug",
    field: "slug",
    message: "A slug has 3 to 63 lower-case letters, digits and inner hyphens, and is not reserved.",
  });
}

/** Converts a title or folder name to lower-case ASCII letters, digits and hyphens. The result may be too short for a slug, or reserved. */
export const slugOf = (title: string): string => hyphenated(anyAscii(withoutUmlauts(title)));

/** Yields an endless sequence of slugs for a title: first the one without a suffix, if it is allowed, then ones with random suffixes. */
export function* slugsFor(title: string): Generator<string> {
  const plain = slugOf(title);
  if (isAllowedSlug(plain)) yield plain;
  for (;;)
    yield `${isSlug(plain) ? plain : "canvas"}-${randomInt(36 ** 4)
      .toString(36)
      .padStart(4, "0")}`;
}

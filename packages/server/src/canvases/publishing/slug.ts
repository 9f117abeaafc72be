import { randomInt } from "node:crypto";
import anyAscii from "any-ascii";
import { isSlug } from "../../http/canvas-path.ts";
import { refuse } from "../../http/refusal.ts";

/**
 * Slugs that no new canvas gets, because they could be mistaken for parts of the service, or because programs look for hosts of these names
 * by themselves, such as `wpad` for the proxy settings of browsers. A canvas that has one keeps it.
 */
const RESERVED = new Set(
  "admin api app apps assets auth autoconfig autodiscover canvas cdn dashboard docs easel ftp healthz help isatap localhost login logout mail mcp metrics mta-sts ns1 ns2 oauth readyz realtime sdk smtp static status support tokens wpad www".split(
    " ",
  ),
);

/** Whether a text is a valid slug that is not reserved for the service. A canvas may already use it. */
export const isAllowedSlug = (text: string): boolean => isSlug(text) && !RESERVED.has(text);

/** Throws 400 `INVALID_BODY` with `reason: invalid_slug` for a slug that is malformed or reserved for the service. */
export function requireSlug(slug: string): void {
  if (isAllowedSlug(slug)) return;
  refuse("INVALID_BODY", {
    reason: "invalid_slug",
    field: "slug",
    message: "A slug has 3 to 63 lower-case letters, digits and inner hyphens, and is not reserved.",
  });
}

/** The ASCII spelling of German umlauts. `anyAscii` would convert `ä` to `a`. */
const UMLAUTS: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue" };

/** Converts a title or folder name to lower-case ASCII letters, digits and hyphens. The result may be too short for a slug, or reserved. */
export const slugOf = (title: string): string =>
  anyAscii(
    title
      .normalize("NFC")
      .toLowerCase()
      .replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter),
  )
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 48)
    .replace(/-$/, "");

/** Yields an endless sequence of slugs for a title: first the one without a suffix, if it is allowed, then ones with random suffixes. */
export function* slugsFor(title: string): Generator<string> {
  const plain = slugOf(title);
  if (isAllowedSlug(plain)) yield plain;
  for (;;)
    yield `${isSlug(plain) ? plain : "canvas"}-${randomInt(36 ** 4)
      .toString(36)
      .padStart(4, "0")}`;
}

import { randomInt } from "node:crypto";
import anyAscii from "any-ascii";
import { isSlug } from "../../http/canvas-path.ts";
import { refuse } from "../../http/refusal.ts";

/** Names that would be taken for parts of the service. */
const RESERVED = new Set(
  "admin api app apps assets auth canvas cdn dashboard docs easel ftp healthz help login logout mail metrics ns1 ns2 readyz realtime sdk smtp static status support www".split(
    " ",
  ),
);

/** Whether a new canvas may have this slug. */
export const isFreeSlug = (text: string): boolean => isSlug(text) && !RESERVED.has(text);

/** Refuses a slug that is malformed or reserved: 400 `INVALID_BODY` with `reason: invalid_slug`. */
export function requireSlug(slug: string): void {
  if (isFreeSlug(slug)) return;
  refuse("INVALID_BODY", {
    reason: "invalid_slug",
    message: "A slug has 3 to 63 lower-case letters, digits and inner hyphens, and is not reserved.",
  });
}

/** Letters that are written with two others where there is no key for them; the library takes their dots away. */
const UMLAUTS: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue" };

/** The plainest slug of a title or folder name, in ASCII letters however it is written; not always one that a canvas may have. */
export const slugOf = (title: string): string =>
  anyAscii(
    title
      .normalize("NFC")
      .toLowerCase()
      .replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter),
  )
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 48)
    .replace(/-+$/, "");

/** Slugs for a title, the plainest first and then with digits that make it unlike others. */
export function* slugsFor(title: string): Generator<string> {
  const plain = slugOf(title);
  if (isFreeSlug(plain)) yield plain;
  for (;;)
    yield `${isSlug(plain) ? plain : "canvas"}-${randomInt(36 ** 4)
      .toString(36)
      .padStart(4, "0")}`;
}

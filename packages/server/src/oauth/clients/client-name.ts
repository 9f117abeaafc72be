const MAX_LENGTH = 60;
/** How much of a text is looked at, in characters. */
const MAX_GIVEN = 1_000;

/**
 * Reduces the name that a client gives itself to one line of at most 60 characters: without characters that cannot be seen or that change the
 * direction of text, and with at most two marks on each letter. Returns null if nothing is left.
 */
export function cleanClientName(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const line = given
    .slice(0, MAX_GIVEN)
    .toWellFormed()
    .normalize("NFC")
    .replace(/[\t\n\v\f\r\p{Z}]+/gu, " ")
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\ufffd]/gu, "")
    .replace(/(\p{M}{2})\p{M}+/gu, "$1")
    .replace(/ +/g, " ");
  const cut = [...line.trim()].slice(0, MAX_LENGTH).join("").trim();
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(cut) ? cut : null;
}

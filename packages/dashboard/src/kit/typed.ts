/** What cannot be typed, such as the marks that turn the direction of a text. */
const UNTYPED = /[\p{Cc}\p{Cf}]/gu;

const plain = (text: string): string =>
  text.normalize("NFKC").replace(UNTYPED, "").replace(/\s+/gu, " ").trim().toLowerCase();

/** Whether a person has typed a title or an address: letter case, spaces and invisible characters do not count. */
export function isTyped(title: string, typed: string): boolean {
  // A title of invisible characters alone is confirmed by an empty field.
  return plain(typed) === plain(title);
}

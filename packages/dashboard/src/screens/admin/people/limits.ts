/** Reads a limit that is a whole number, such as "200" or "1,000". Returns null for any other text. */
export function readLimit(text: string): number | null {
  const plain = text.trim().replaceAll(",", "");
  const limit = /^\d{1,15}$/.test(plain) ? Number(plain) : null;
  return limit;
}

const UNITS = ["", "k", "m", "g", "t"];

/**
 * Reads a number of bytes as people write it, such as "5 GB", "1.5g" or "1048576". Units are powers of 1024, as in `bytesOf`. Returns null for
 * any other text.
 */
export function parseBytes(text: string): number | null {
  const found = /^([0-9][0-9,]*(?:\.[0-9]+)?)\s*([kmgt]?)i?(?:b|bytes?)?$/i.exec(text.trim());
  if (found === null) return null;
  const [, amount = "", unit = ""] = found;
  const bytes = Math.round(Number(amount.replaceAll(",", "")) * 1024 ** UNITS.indexOf(unit.toLowerCase()));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "./refusal.ts";

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

/** Returns the position after the end of a JSON string, whose content begins at `at`. */
function afterString(bytes: Buffer, at: number): number {
  for (let next = at; next < bytes.length; next++) {
    if (bytes[next] === QUOTE) return next + 1;
    if (bytes[next] === BACKSLASH) next++;
  }
  return bytes.length;
}

/**
 * Throws 400 `INVALID_BODY` if a JSON text contains more than `limit` values. The text is not parsed, because parsing millions of values takes long
 * and cannot be interrupted.
 */
export function requireFewValues(bytes: Buffer, limit: number = LIMITS.jsonValues.value): void {
  let left = limit;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = afterString(bytes, at + 1) - 1;
    // Every value but the outermost follows a comma or the beginning of an array or object. Empty arrays and objects count twice.
    else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && --left <= 0)
      refuse("INVALID_BODY", { message: "The body has too many values." });
  }
}

import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "./refusal.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * Counts the values of a JSON text while it arrives, up to `limit`. The text is not parsed, because parsing millions of values takes long
 * and cannot be interrupted.
 */
export class ValueCount {
  #left: number;
  #inText = false;
  #escaped = false;

  constructor(limit: number = LIMITS.jsonValues.value) {
    this.#left = limit;
  }

  /** Counts the values that begin in the next part of the text. Throws 400 `INVALID_BODY` as soon as there are too many. */
  readonly add = (bytes: Uint8Array): void => {
    // Local variables: with fields, a byte takes several times as long.
    let left = this.#left;
    let inText = this.#inText;
    let at = this.#escaped ? 1 : 0;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) inText = !inText;
      else if (inText) at += byte === BACKSLASH ? 1 : 0;
      // Every value but the outermost follows a comma or the beginning of an array or object. Empty arrays and objects count twice.
      else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && --left <= 0)
        refuse("INVALID_BODY", { message: "The body has too many values." });
    }
    this.#left = left;
    this.#inText = inText;
    // The byte after a backslash is in the next part.
    this.#escaped = at > bytes.length;
  };
}

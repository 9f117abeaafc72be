import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "./refusal.ts";

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

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
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inText) {
        if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) this.#inText = true;
      // Every value but the outermost follows a comma or the beginning of an array or object. Empty arrays and objects count twice.
      else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && --this.#left <= 0)
        refuse("INVALID_BODY", { message: "The body has too many values." });
    }
  };
}

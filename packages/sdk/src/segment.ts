import { invalid } from "./errors.ts";

/**
 * Encodes a string as one path segment. Throws for reserved strings, for `.`, `..` and the empty string, which a URL cannot contain as a
 * segment, and for strings with lone surrogates.
 */
export function segment(text: string, what: string, reserved: string[] = []): string {
  if (typeof text !== "string") throw invalid(`The ${what} must be a string.`);
  if (["", ".", "..", ...reserved].includes(text))
    throw invalid(`The ${what} must not be ${JSON.stringify(text)}.`);
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw invalid(`The ${what} must be well-formed Unicode; it has a lone surrogate.`, cause);
  }
}

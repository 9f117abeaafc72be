import { invalid } from "./errors.ts";

/**
 * Encodes a string as one path segment of a URL. `what` names the string in messages, such as `key`. Throws if the string is in `reserved`,
 * is empty, `.` or `..`, or has a lone surrogate.
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

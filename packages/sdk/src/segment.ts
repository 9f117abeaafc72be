import { invalid } from "./errors.ts";

/** A text as one path segment. URLs resolve `.` and `..` away, however they are written, and know no empty segment. */
export function segment(text: string, what: string, taken: string[] = []): string {
  if (typeof text !== "string") throw invalid(`The ${what} is a string.`);
  if (["", ".", "..", ...taken].includes(text))
    throw invalid(`The ${what} ${JSON.stringify(text)} cannot be addressed.`);
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw invalid(`The ${what} is well-formed Unicode; this one has half a surrogate pair.`, cause);
  }
}

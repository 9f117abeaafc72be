import { MIMEType } from "node:util";

/** The maximum length of a media type with its parameters, in characters. `MIMEType` takes quadratic time for white space in a longer one. */
const MAX_LENGTH = 1024;

/** Parses the value of a `Content-Type` header. Returns null if it is missing, malformed or too long. */
export function parseMediaType(header: string | undefined): MIMEType | null {
  if (header === undefined || header.length > MAX_LENGTH) return null;
  try {
    return new MIMEType(header);
  } catch {
    return null;
  }
}

import { parseMediaType } from "../../http/content-type.ts";

/** The media type of a file that was uploaded without one. */
const DEFAULT_TYPE = "application/octet-stream";

const MAX_LENGTH = 255;

/** Image types that browsers decode without running scripts. */
const INLINE = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** Matches the names of charsets that can stand in a header without quotation marks, of the length of RFC 2978. */
const CHARSET = /^[\w.+-]{1,40}$/;

/**
 * Returns the media type of a `Content-Type`, in lower case. Returns the default if it is missing, malformed or too long. Keeps the `charset`
 * of a text, without which nobody can read texts that are not in UTF-8, and drops all other parameters. It gives a file no rights: whatever
 * it says, texts are downloads, with `nosniff` and a policy that runs no script (`content.ts`).
 */
export function mediaTypeOf(header: string | undefined): string {
  const essence = parseMediaType(header?.split(";", 1)[0])?.essence ?? DEFAULT_TYPE;
  if (essence.length > MAX_LENGTH) return DEFAULT_TYPE;
  const charset = parseMediaType(header)?.params.get("charset")?.toLowerCase();
  const isKept = essence.startsWith("text/") && charset !== undefined && CHARSET.test(charset);
  return isKept ? `${essence}; charset=${charset}` : essence;
}

/** Whether browsers display files of a media type. All others are downloaded (specification 4.4). */
export const isInline = (mediaType: string): boolean => INLINE.has(mediaType);

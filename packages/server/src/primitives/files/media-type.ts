import { MIMEType } from "node:util";

/** The media type of a file that was uploaded without one. */
const DEFAULT_TYPE = "application/octet-stream";

const MAX_LENGTH = 255;

/** Images that browsers decode without running anything in them. */
const INLINE = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** Returns the media type of a `Content-Type` in lower case and without parameters; the default for none or a malformed one. */
export function mediaTypeOf(header: string | undefined): string {
  try {
    const { essence } = new MIMEType(header ?? "");
    return essence.length <= MAX_LENGTH ? essence : DEFAULT_TYPE;
  } catch {
    return DEFAULT_TYPE;
  }
}

/** Whether files of a media type are shown in the page; all others are downloaded (specification 4.4). */
export const isInline = (mediaType: string): boolean => INLINE.has(mediaType);

import { MIMEType } from "node:util";

/** The media type of a file that was uploaded without one. */
const DEFAULT_TYPE = "application/octet-stream";

const MAX_LENGTH = 255;

/** Image types that browsers decode without running scripts. */
const INLINE = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/**
 * Returns the media type of a `Content-Type`, in lower case and without parameters. Returns the default if it is missing, malformed or too
 * long.
 */
export function mediaTypeOf(header: string | undefined): string {
  try {
    const { essence } = new MIMEType(header ?? "");
    return essence.length <= MAX_LENGTH ? essence : DEFAULT_TYPE;
  } catch {
    return DEFAULT_TYPE;
  }
}

/** Whether browsers display files of a media type. All others are downloaded (specification 4.4). */
export const isInline = (mediaType: string): boolean => INLINE.has(mediaType);

import { parseMediaType } from "../../http/content-type.ts";

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
  const essence = parseMediaType(header?.split(";", 1)[0])?.essence ?? DEFAULT_TYPE;
  return essence.length <= MAX_LENGTH ? essence : DEFAULT_TYPE;
}

/** Whether browsers display files of a media type. All others are downloaded (specification 4.4). */
export const isInline = (mediaType: string): boolean => INLINE.has(mediaType);

import type { Canvas } from "../canvases/access-lookup.ts";
import { admitsAnonymous } from "../canvases/publication-status.ts";
import type { ServedFile } from "../drivers/canvas-content.ts";
import { isHashedName } from "./hashed-name.ts";

/** The time for which browsers keep a file with a hash of its content in its name: one year. */
const KEPT_SECONDS = 31_536_000;
/**
 * The time for which a shared cache, such as a CDN, may serve a file without revalidation. When a Public link is withdrawn, such a cache
 * may go on serving the canvas's files for this time.
 */
const SHARED_SECONDS = 300;

/** Whether everyone can open the canvas without a session or a password. */
const isPublic = (canvas: Canvas, now: number): boolean =>
  canvas.passwordHash === null && admitsAnonymous(canvas, now);

/**
 * Returns the `Cache-Control` header of a file. Browsers keep files with a hash of the content in their name, and revalidate all others.
 * Shared caches store only files of canvases with a Public link, except HTML pages and responses that set a cookie.
 */
export function cacheControl(
  { path, mime }: ServedFile,
  canvas: Canvas,
  { setsCookie, now }: { setsCookie: boolean; now: number },
): string {
  const isShared = !setsCookie && !mime.startsWith("text/html") && isPublic(canvas, now);
  const scope = isShared ? "public" : "private";
  if (!isHashedName(path)) return `${scope}, no-cache`;
  const left = canvas.expiresAt === null ? SHARED_SECONDS : Math.floor((canvas.expiresAt - now) / 1000);
  const shared = isShared ? `, s-maxage=${Math.min(SHARED_SECONDS, left)}` : "";
  return `${scope}, max-age=${KEPT_SECONDS}${shared}, immutable`;
}

import type { Canvas } from "../canvases/access-lookup.ts";
import { admitsAnonymous } from "../canvases/publication-status.ts";
import { isHashedName } from "./hashed-name.ts";
import type { ServedFile } from "./served-files.ts";

/** One year. */
const KEPT_SECONDS = 31_536_000;
/** The time for which a shared cache may serve a file without asking, and so the time until a withdrawn Public link is closed there too. */
const SHARED_SECONDS = 300;

/** Whether every caller would get the same response without a session or a password. */
const isPublic = (canvas: Canvas, now: number): boolean =>
  canvas.passwordHash === null && admitsAnonymous(canvas, now);

/**
 * Returns the `Cache-Control` of a file. Browsers keep files with a hash of the content in their name, and revalidate all others. Shared
 * caches store files of Public links only, but no pages and no responses that set a cookie.
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

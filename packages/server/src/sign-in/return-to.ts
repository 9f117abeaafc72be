import type { Base } from "../config/addresses.ts";
import { isSlug } from "../http/canvas-path.ts";

/**
 * Returns the URL to redirect to after the sign-in: only the path if the given URL is on the base host, the whole URL if it is on the host
 * of a canvas, otherwise `/`.
 */
export function safeReturn(given: string | undefined, base: Base): string {
  const url = given === undefined ? null : URL.parse(given, base.origin);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return "/";
  if (url.origin === base.origin) return url.pathname.replace(/^\/{2,}/, "/") + url.search + url.hash;
  const slug = base.labelOf(url.host) ?? "";
  return isSlug(slug) && url.origin === base.canvasOrigin(slug) ? url.href : "/";
}

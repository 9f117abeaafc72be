import type { IncomingHttpHeaders } from "node:http";
import type { Canvas } from "../canvases/access-lookup.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { cookiesNamed, setCookie } from "../http/cookies.ts";
import { destinationOf } from "../http/fetch-metadata.ts";

const COOKIE = "easel_version";
/** The time for which a replaced version is still served to pages that were loaded from it. */
const GRACE_MS = 5 * 60 * 1000;

/** Whether a request loads a page rather than a subresource. A request without Fetch Metadata headers counts as one for a page. */
const isPage = (headers: IncomingHttpHeaders) => destinationOf(headers) !== "part";

/**
 * Returns the version to serve, so that a page load never mixes two versions (decision 005). A page gets the current version. Its
 * subresources get the version that the page's cookie names, until five minutes after that version was replaced.
 */
export async function versionFor(
  headers: IncomingHttpHeaders,
  canvas: Canvas,
  env: Env,
): Promise<string | null> {
  const [pinned] = cookiesNamed(headers.cookie, COOKIE);
  if (isPage(headers) || pinned === undefined || pinned === canvas.versionId || !isId(pinned))
    return canvas.versionId;
  const known = await env.db.get<{ id: string }>`
    select id from versions
    where id = ${pinned} and canvas_id = ${canvas.id} and state = 'stored'
      and replaced_at > ${env.clock() - GRACE_MS}`;
  return known?.id ?? canvas.versionId;
}

/**
 * Returns a `Set-Cookie` header with the version of a page, so that the page's subresources come from the same version. Returns undefined
 * if the request is not for a page or already has this cookie.
 */
export function pinCookie(headers: IncomingHttpHeaders, canvas: Canvas, { base }: Env): string | undefined {
  if (["unknown", "part"].includes(destinationOf(headers)) || canvas.versionId === null) return undefined;
  if (cookiesNamed(headers.cookie, COOKIE)[0] === canvas.versionId) return undefined;
  const path = new URL(base.canvasUrl(canvas.slug)).pathname;
  return setCookie(COOKIE, canvas.versionId, { secure: base.secure, path });
}

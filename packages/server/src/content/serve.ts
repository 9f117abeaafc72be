import { pathFault } from "@easel/protocol/bundle";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import { hasDotFile } from "../canvases/publishing/select-files.ts";
import type { CanvasContent, ServedFile } from "../drivers/canvas-content.ts";
import type { Env } from "../env.ts";
import { selectBytes } from "../http/byte-ranges.ts";
import { refuse } from "../http/refusal.ts";
import { networkOf, wantsPage } from "../http/request-headers.ts";
import type { Caller } from "../identity/credential.ts";
import type { Verify } from "../pipeline/optimistic.ts";
import { limitResponses, SMALL_RESPONSE } from "../pipeline/request-limits.ts";
import { resolve } from "../pipeline/resolve.ts";
import type { Visit } from "../pipeline/visit.ts";
import { cacheControl, pinCookie, versionFor } from "./caching.ts";
import { asksForWorker, clearFormerCanvas } from "./former-canvas.ts";
import { contentPolicy } from "./isolation.ts";
import { isView } from "./page-view.ts";
import { previewed } from "./preview.ts";
import { chooseRepresentation, etagOf } from "./served-files.ts";
import { FAVICON, sendDefaultFavicon } from "./service-files.ts";

const params = (request: FastifyRequest) => request.params as Record<string, string>;

/** Returns the query string of a request's URL with its question mark, or an empty text if there is none. */
export const searchOf = ({ url }: FastifyRequest): string =>
  url.includes("?") ? url.slice(url.indexOf("?")) : "";

/** Whether a request may be for a route of a single-page app: it accepts HTML, and its path has no file extension. */
const isRoute = (path: string, { headers }: FastifyRequest): boolean =>
  wantsPage(headers) && !path.slice(path.lastIndexOf("/") + 1).includes(".");

/**
 * Sends the requested file from `stored`, or from `Env.localContent` if it has an entry for the canvas. The file is from the version that
 * `versionFor` chooses: pages from the current version, and their scripts, styles and images from the version of the page.
 */
export async function serve(
  visit: Visit,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  stored: CanvasContent,
  env: Env,
  verify: Verify,
) {
  const { "*": path = "" } = params(request);
  const { canvas, role } = await resolve(visit, caller, env);
  if (verify !== null) await verify();
  const preview = manages(role) ? await previewed(request, canvas, reply, env) : null;
  const version =
    preview ?? (canvas.revokedAt === null ? await versionFor(request.headers, canvas, env) : null);
  if (version === null)
    return refuse("NOT_FOUND", { message: "Nothing is published at this canvas right now." });

  // A preview registers no service worker, which would stay, and removes the one that the browser has, which would hide the preview.
  if (preview !== null && asksForWorker(request)) return refuse("NOT_FOUND");
  const content = (preview === null ? env.localContent.get(canvas.id) : undefined) ?? stored;
  const plain = path.replace(/\/$/, "");
  // Dot files are never served. Versions that older releases stored may contain some.
  if (path !== "" && (pathFault(plain) !== undefined || hasDotFile(plain))) return refuse("NOT_FOUND");
  const folder = path === "" || path.endsWith("/");
  const wanted = folder ? `${path}index.html` : path;
  let files = content.cached(version, wanted);
  if (files === undefined) {
    const routed = canvas.spa && isRoute(plain, request);
    const fallback = routed ? "index.html" : "404.html";
    const found = await content.find(version, [wanted, `${path}/index.html`, fallback]);
    files = found.get(wanted);
    if (files === undefined && asksForWorker(request)) return refuse("NOT_FOUND");
    if (files === undefined && !folder && found.has(`${path}/index.html`)) {
      return reply.redirect(
        `./${encodeURIComponent(path.slice(path.lastIndexOf("/") + 1))}/${searchOf(request)}`,
        308,
      );
    }
    if (files === undefined && path === FAVICON && preview === null)
      return sendDefaultFavicon(request, reply);
    files ??= found.get(fallback) ?? refuse("NOT_FOUND", { message: "This canvas has no such page." });
    if (!found.has(wanted) && !routed) reply.code(404);
  }
  const cookie = preview === null ? pinCookie(request.headers, canvas, env) : undefined;
  if (cookie !== undefined) reply.header("set-cookie", cookie);
  clearFormerCanvas(canvas, request, reply, env);
  const file = chooseRepresentation(files, request.headers);
  if (preview === null) {
    const setsCookie = reply.hasHeader("set-cookie");
    reply.header("cache-control", cacheControl(file, canvas, { setsCookie, now: env.clock() }));
    reply.header("vary", "Accept-Encoding");
  }
  if (manages(role) && env.config.callLog && file.mime.startsWith("text/html"))
    askForErrors(preview !== null, reply);
  const viewed = preview === null && reply.statusCode !== 404 ? canvas.id : null;
  return send(file, viewed, caller.user, request, reply, content, env);
}

/**
 * Tells the SDK in a page of an owner or editor that it may report errors of the page, and whether this is a preview. A header tells it,
 * because a page can read that of its own load by the Performance API, without a request (decision 111).
 */
const askForErrors = (isPreview: boolean, reply: FastifyReply) =>
  reply.header("server-timing", isPreview ? 'easel;desc="preview"' : "easel");

/** Sends a file. `viewed` is the id of the canvas of which this may be a view. */
async function send(
  file: ServedFile,
  viewed: string | null,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
  content: CanvasContent,
  env: Env,
) {
  // All files get this header, not only pages: images and other documents may contain scripts, and a worker obeys the policy of its own
  // response.
  reply.header("content-security-policy", contentPolicy(params(request).slug ?? "", env));
  // The page of a 404 is always sent completely.
  const missing = reply.statusCode === 404;
  const asked = missing ? { method: request.method, headers: {} } : request;
  const { status, headers, size, range, hasBody } = selectBytes(asked, file.size, etagOf(file));
  if (hasBody && size > SMALL_RESPONSE)
    limitResponses(principal.kind === "visitor" ? networkOf(request.ip) : principal.id, reply, env);
  reply.code(missing ? 404 : status).headers(headers);
  if (viewed !== null && isView(request, file, status))
    env.pageViews.add(viewed, principal.kind === "visitor" ? null : principal.id, env.clock());
  if (status === 304) return reply.send();

  reply.header("content-type", file.mime);
  if (file.encoding !== "identity") reply.header("content-encoding", file.encoding);
  return hasBody ? reply.send(await content.open(file, range)) : reply.send();
}

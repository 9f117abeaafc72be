import { pathFault } from "@easel/protocol/bundle";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../access/principal.ts";
import { hasDotFile } from "../canvases/publishing/select-files.ts";
import type { CanvasContent, ServedFile } from "../drivers/canvas-content.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { isFresh, networkOf, rangeOf, wantsPage } from "../http/request-headers.ts";
import type { Caller } from "../identity/credential.ts";
import type { Verify } from "../pipeline/optimistic.ts";
import { limitResponses, SMALL_RESPONSE } from "../pipeline/request-limits.ts";
import { resolve } from "../pipeline/resolve.ts";
import type { Visit } from "../pipeline/visit.ts";
import { cacheControl, pinCookie, versionFor } from "./caching.ts";
import { asksForWorker, clearFormerCanvas } from "./former-canvas.ts";
import { contentPolicy } from "./isolation.ts";
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
  const { canvas } = await resolve(visit, caller, env);
  if (verify !== null) await verify();
  const version = canvas.revokedAt === null ? await versionFor(request.headers, canvas, env) : null;
  if (version === null)
    return refuse("NOT_FOUND", { message: "Nothing is published at this canvas right now." });

  const content = env.localContent.get(canvas.id) ?? stored;
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
    if (files === undefined && path === FAVICON) return sendDefaultFavicon(request, reply);
    files ??= found.get(fallback) ?? refuse("NOT_FOUND", { message: "This canvas has no such page." });
    if (!found.has(wanted) && !routed) reply.code(404);
  }
  const cookie = pinCookie(request.headers, canvas, env);
  if (cookie !== undefined) reply.header("set-cookie", cookie);
  clearFormerCanvas(canvas, request, reply, env);
  const file = chooseRepresentation(files, request.headers);
  const setsCookie = reply.hasHeader("set-cookie");
  reply.header("cache-control", cacheControl(file, canvas, { setsCookie, now: env.clock() }));
  return send(file, caller.user, request, reply, content, env);
}

async function send(
  file: ServedFile,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
  content: CanvasContent,
  env: Env,
) {
  const etag = etagOf(file);
  const missing = reply.statusCode === 404;
  const fresh = !missing && isFresh(request.headers, etag);
  const hasBody = !fresh && request.method !== "HEAD";
  if (hasBody && file.size > SMALL_RESPONSE)
    limitResponses(principal.kind === "visitor" ? networkOf(request.ip) : principal.id, reply, env);
  reply.header("etag", etag).header("vary", "Accept-Encoding");
  // All files get this header, not only pages: images and other documents may contain scripts, and a worker obeys the policy of its own
  // response.
  reply.header("content-security-policy", contentPolicy(params(request).slug ?? "", env));
  if (fresh) return reply.code(304).send();

  reply.header("content-type", file.mime).header("accept-ranges", "bytes");
  if (file.encoding !== "identity") reply.header("content-encoding", file.encoding);
  const range = missing || request.method === "HEAD" ? "all" : rangeOf(request.headers, file.size, etag);
  if (range === "none") {
    reply.header("content-range", `bytes */${file.size}`);
    return refuse("RANGE_NOT_SATISFIABLE");
  }
  if (range !== "all") {
    reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${file.size}`);
    reply.header("content-length", range.end - range.start + 1);
    return reply.send(await content.open(file, range));
  }
  reply.header("content-length", file.size);
  if (request.method === "HEAD") return reply.send();
  return reply.send(await content.open(file));
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ENTER, enterBy } from "../auth/handover.ts";
import { pathFault } from "../canvases/bundle.ts";
import type { Env } from "../env.ts";
import { one, type Query } from "../kit/page.ts";
import { Refusal, refuse } from "../kit/refusal.ts";
import { authenticate } from "../pipeline/authenticate.ts";
import { resolve } from "../pipeline/resolve.ts";
import type { Viewer, Visit } from "../pipeline/visit.ts";
import { choose, etagOf, isFresh, rangeOf } from "./conditional.ts";
import { findFiles, type ServedFile, stream } from "./files.ts";
import { GATE, passGate } from "./gate.ts";
import { HotBlobs } from "./hot-blobs.ts";
import { notice } from "./notice.ts";
import { pin, versionFor } from "./skew.ts";

const params = (request: FastifyRequest) => request.params as Record<string, string>;

const searchOf = ({ url }: FastifyRequest) => (url.includes("?") ? url.slice(url.indexOf("?")) : "");

/** The page that a visitor wants, below the canvas's address: of the gate, the one that leads there. */
const pageOf = (request: FastifyRequest) =>
  request.method === "POST"
    ? (one(request.query as Query, "to") ?? "")
    : request.url.split("/").slice(3).join("/");

type Answer = (
  visit: Visit,
  viewer: Viewer,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>;

/**
 * Serves canvases behind the same gateway and sharing rules as their API: at `/c/{slug}/`, which in subdomain mode is what
 * a request to the host of a canvas has become (hosts.ts).
 */
export function mountContent(app: FastifyInstance, env: Env): void {
  const hot = new HotBlobs();

  /** Who asks is found out first; what they are refused is told by a page. */
  const answering =
    (answer: Answer) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const { slug = "" } = params(request);
      const visit: Visit = { slug, surface: "content", request: request.raw, answer: reply };
      const viewer = await authenticate(visit, env);
      try {
        return await answer(visit, viewer, request, reply);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code === undefined) throw error;
        return notice(error, { slug, path: pageOf(request), viewer }, request, reply, env);
      }
    };

  app.get("/c/:slug", async (request, reply) => {
    return reply.redirect(`/c/${encodeURIComponent(params(request).slug ?? "")}/${searchOf(request)}`, 308);
  });
  app.route({
    method: ["GET", "HEAD"],
    url: "/c/:slug/*",
    handler: answering((visit, viewer, request, reply) => serve(visit, viewer, request, reply, hot, env)),
  });
  app.post(
    `/c/:slug/${GATE}`,
    answering((visit, viewer, request, reply) => passGate(visit, viewer, request, reply, env)),
  );
  if (env.base.urlMode === "subdomain") {
    app.get(`/c/:slug/${ENTER}`, async (request, reply) => {
      const { slug = "" } = params(request);
      try {
        return await enterBy(slug, request, reply, env);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return notice(error, { slug, path: "", viewer: null }, request, reply, env);
      }
    });
  }
}

async function serve(
  visit: Visit,
  viewer: Viewer,
  request: FastifyRequest,
  reply: FastifyReply,
  hot: HotBlobs,
  env: Env,
) {
  const { "*": path = "" } = params(request);
  const { canvas } = await resolve(visit, viewer, env);
  const version = canvas.revokedAt === null ? await versionFor(request.headers, canvas, env) : null;
  if (version === null)
    return refuse("NOT_FOUND", { message: "Nothing is published at this canvas right now." });

  if (path !== "" && pathFault(path.replace(/\/$/, "")) !== undefined) return refuse("NOT_FOUND");
  const folder = path === "" || path.endsWith("/");
  const wanted = folder ? `${path}index.html` : path;
  const found = await findFiles(version, [wanted, `${path}/index.html`, "404.html"], env);
  const at = (each: string) => found.filter((file) => file.path === each);
  let files = at(wanted);
  if (files.length === 0 && !folder && at(`${path}/index.html`).length > 0) {
    return reply.redirect(
      `./${encodeURIComponent(path.slice(path.lastIndexOf("/") + 1))}/${searchOf(request)}`,
      308,
    );
  }
  if (files.length === 0) {
    files = at("404.html");
    if (files.length === 0) return refuse("NOT_FOUND", { message: "This canvas has no such page." });
    reply.code(404);
  }
  const cookie = pin(request.headers, canvas, env);
  if (cookie !== undefined) reply.header("set-cookie", cookie);
  return send(choose(files, request.headers), request, reply, hot, env);
}

async function send(file: ServedFile, request: FastifyRequest, reply: FastifyReply, hot: HotBlobs, env: Env) {
  const etag = etagOf(file);
  reply.header("etag", etag).header("cache-control", "private, no-cache").header("vary", "Accept-Encoding");
  // Not on pages alone: images and other documents may hold scripts, and a worker has the policy of its own answer.
  if (env.base.urlMode === "path") reply.header("content-security-policy", policy(params(request).slug, env));
  const missing = reply.statusCode === 404;
  if (!missing && isFresh(request.headers, etag)) return reply.code(304).send();

  reply.header("content-type", file.mime).header("accept-ranges", "bytes");
  if (file.encoding !== "identity") reply.header("content-encoding", file.encoding);
  const range = missing || request.method === "HEAD" ? "all" : rangeOf(request.headers, file.size, etag);
  if (range === "none") {
    reply.header("content-range", `bytes */${file.size}`);
    return refuse("INVALID_BODY", { message: "The file has no such range." }, 416);
  }
  if (range !== "all") {
    reply.code(206).header("content-range", `bytes ${range.start}-${range.end}/${file.size}`);
    reply.header("content-length", range.end - range.start + 1);
    return reply.send(await stream(file, range, env));
  }
  reply.header("content-length", file.size);
  if (request.method === "HEAD") return reply.send();
  return reply.send(await hot.open(file, env));
}

/** Keeps a page in path mode, where all canvases share an origin, to its own paths and to the outside world. */
function policy(slug: string | undefined, { base }: Env): string {
  const own = `${base.origin}/c/${slug}/`;
  const api = `/v1/c/${slug}/`;
  return [
    `connect-src ${own} ${base.origin}${api} ${base.origin.replace(/^http/, "ws")}${api} https:`,
    `form-action ${own} https:`,
    `frame-src ${own} https: data: blob:`,
    `worker-src ${own} blob:`,
  ].join("; ");
}

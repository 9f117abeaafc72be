import type { FastifyReply, FastifyRequest } from "fastify";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { Env } from "../env.ts";
import { destinationOf } from "../http/cross-site.ts";
import { Refusal } from "../http/refusal.ts";
import { cookiesNamed, type HasHeaders, hostOnly, setCookie } from "../http/request-headers.ts";

/** The longest lifetime of cookies in browsers: 400 days. */
const LIFETIME_MS = 400 * 24 * 60 * 60 * 1000;

const cookieName = ({ base }: Env) => hostOnly("easel_canvas", base.secure);

/** Returns the id of the canvas whose pages a browser has loaded from the host of a slug, or undefined if it is not known. */
function canvasOfBrowser(slug: string, { headers }: FastifyRequest, env: Env): string | undefined {
  for (const value of cookiesNamed(headers.cookie, cookieName(env))) {
    const [id = "", signature = "", ...more] = value.split(".");
    if (more.length === 0 && env.signer.verifies(signature, "canvas", slug, id)) return id;
  }
  return undefined;
}

/**
 * In subdomain mode, clears the storage and the service workers that a browser has of a former canvas on the same host (`Clear-Site-Data`).
 * A signed cookie on the host names the canvas whose pages the browser has loaded; it is set with the first page, and does not end with a
 * session. Does nothing in path mode, where the header would also empty the storage of all other canvases (decision 052).
 */
export function clearFormerCanvas(
  { id, slug }: Canvas,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): void {
  if (env.base.urlMode !== "subdomain") return;
  const known = canvasOfBrowser(slug, request, env);
  const loadsPage = ["document", "frame"].includes(destinationOf(request.headers));
  if (known === id || (known === undefined && !loadsPage)) return;
  if (known !== undefined) reply.header("clear-site-data", '"storage"');
  const value = `${id}.${env.signer.sign("canvas", slug, id)}`;
  reply.header(
    "set-cookie",
    setCookie(cookieName(env), value, { maxAge: LIFETIME_MS, secure: env.base.secure }),
  );
}

/**
 * A service worker that unregisters itself and reloads the pages that it controls. It has no `fetch` handler, so that every request goes to
 * the service from the moment it is active. The fragment is removed from an address, because with one the page would not reload.
 */
const RETIRED_WORKER = `addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(retire()));
async function retire() {
  await registration.unregister();
  for (const page of await clients.matchAll({ type: "window" }))
    await page.navigate(page.url.split("#")[0]).catch(() => {});
}
`;

/** The statuses with which a canvas page is refused to a caller who may not open it, is not signed in, or asks for what is not there. */
const REFUSED = new Set([302, 401, 403, 404]);

/** Whether a browser fetches the script of a service worker, to install or to update it. */
export const asksForWorker = ({ headers }: HasHeaders): boolean => headers["service-worker"] === "script";

/**
 * Calls `serve` to respond to a request for a file of a canvas. If it refuses the script of a service worker, sends a worker that
 * unregisters itself: with an error, a browser would go on using the worker that it has, which may be that of a former canvas at this
 * address. All refusals have the same response, so that it reveals nothing about the canvas (decision 052).
 */
export async function orRetiredWorker(
  request: FastifyRequest,
  reply: FastifyReply,
  serve: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await serve();
  } catch (error) {
    if (!asksForWorker(request) || !(error instanceof Refusal) || !REFUSED.has(error.status)) throw error;
    return reply
      .code(200)
      .header("cache-control", "no-store")
      .header("content-security-policy", "default-src 'none'")
      .type("text/javascript; charset=utf-8")
      .send(RETIRED_WORKER);
  }
}

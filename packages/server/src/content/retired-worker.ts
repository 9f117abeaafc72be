import type { FastifyReply, FastifyRequest } from "fastify";
import type { HasHeaders } from "../http/has-headers.ts";
import { Refusal } from "../http/refusal.ts";

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

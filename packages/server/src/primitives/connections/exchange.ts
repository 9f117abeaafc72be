import { LIMITS } from "@easel/protocol/limits";
import {
  DestinationBlocked,
  type OutboundRequest,
  type OutboundResponse,
} from "../../drivers/outbound/outbound.ts";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { allowsPath, type UpstreamRequest } from "./upstream-request.ts";
import { readResponse, requireIdentity } from "./upstream-response.ts";

const REDIRECTS = [301, 302, 303, 307, 308];

/** Returns the `Location` header of a redirect, or null if the response is no redirect. */
export function locationOf({ status, headers: { location } }: OutboundResponse): string | null {
  if (!REDIRECTS.includes(status) || location === undefined) return null;
  return [location].flat()[0] ?? null;
}

/** Returns the URL to which a response redirects. Throws 403 `DESTINATION_BLOCKED` unless its origin is exactly that of the profile. */
export function redirectTarget(location: string, from: URL, origin: string): URL {
  const url = URL.parse(location, from);
  // A `blob:` URL has the origin of the URL in it, but is none that a server can respond to.
  const isHttps = url?.protocol === "https:" && url.username === "" && url.password === "";
  if (!isHttps || url.origin !== origin)
    return refuse("DESTINATION_BLOCKED", { message: "The upstream redirects to another origin." });
  return url;
}

/** Names of headers that describe a body. */
const OF_BODY = ["content-type", "content-language", "content-location"];

/**
 * Returns the method, headers and body of the request that follows a redirect, as browsers choose them: after 303, and after 301 or 302 for
 * a POST, it is a GET without a body.
 */
export function redirected<Request extends Pick<OutboundRequest, "method" | "headers" | "body">>(
  request: Request,
  status: number,
): Request {
  const { method, headers } = request;
  const becomesGet =
    status === 303 ? method !== "HEAD" : method === "POST" && (status === 301 || status === 302);
  if (!becomesGet) return request;
  const kept = headers.filter(([name]) => !OF_BODY.includes(name));
  return { ...request, method: "GET", headers: kept, body: null };
}

/** The highest status that the service passes on from an upstream. A response with a higher one counts as a failure of the upstream. */
const MAX_STATUS = 599;

type FullRequest = UpstreamRequest & Pick<OutboundRequest, "body">;

/** The whole response of an upstream. */
export interface UpstreamResponse extends Pick<OutboundResponse, "status" | "headers"> {
  body: Buffer;
}

/** The signals that end a call: the client has disconnected, or its ten seconds are over. */
interface Ends {
  gone: AbortSignal;
  deadline: AbortSignal;
}

/** Runs a call. The signal that it gets aborts after ten seconds, which are for all that the call does. */
export async function withDeadline<Result>(
  call: (deadline: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), LIMITS.connectionTimeoutMs.value);
  try {
    return await call(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends a request to an upstream, follows its redirects and reads the response, until one of the signals aborts. Throws a `Refusal` with a
 * code of specification 7 if any part fails.
 */
export async function exchange(
  request: FullRequest,
  { gone, deadline }: Ends,
  env: Env,
): Promise<UpstreamResponse> {
  try {
    const response = await follow(request, AbortSignal.any([gone, deadline]), env);
    gone.throwIfAborted();
    return response;
  } catch (error) {
    // The client has gone, so this error is not sent; the call is counted under its code.
    if (gone.aborted) return refuse("UPSTREAM_UNAVAILABLE");
    if (error instanceof Refusal) throw error;
    if (deadline.aborted) return refuse("UPSTREAM_TIMEOUT");
    env.log.warn({ origin: request.origin, why: String(error) }, "a Connection failed");
    return refuse(error instanceof DestinationBlocked ? "DESTINATION_BLOCKED" : "UPSTREAM_UNAVAILABLE");
  }
}

/** Starts to measure a request to a server of a Connection. Returns the function that ends this. */
function stopwatch(server: string, { metrics }: Env): (status: number | "error") => void {
  const start = performance.now();
  return (status) => metrics.connectionDuration.observe((performance.now() - start) / 1000, server, status);
}

/** Sends the request, and up to three further ones if the upstream redirects within its origin. */
async function follow(first: FullRequest, signal: AbortSignal, env: Env): Promise<UpstreamResponse> {
  let request = first;
  for (let left: number = LIMITS.connectionRedirects.value; ; left--) {
    const { url, origin, method, headers, body } = request;
    const path = url.pathname + url.search;
    const measure = stopwatch(url.hostname, env);
    const response = await env.outbound
      .send({ origin, path, method, headers, body }, signal)
      .catch((error) => {
        measure("error");
        throw error;
      });
    try {
      if (response.status > MAX_STATUS) refuse("UPSTREAM_UNAVAILABLE");
      const location = locationOf(response);
      if (location === null) {
        requireIdentity(response);
        return {
          status: response.status,
          headers: response.headers,
          body: await readResponse(response, method),
        };
      }
      if (left === 0) refuse("DESTINATION_BLOCKED", { message: "The upstream redirects too often." });
      request = { ...redirected(request, response.status), url: redirectTarget(location, url, origin) };
      if (!request.methods.includes(request.method)) refuse("METHOD_NOT_ALLOWED");
      if (!allowsPath(request.limits, request.url))
        refuse("DESTINATION_BLOCKED", {
          message: "The upstream redirects to a path that is not open to guests and visitors.",
        });
    } finally {
      measure(response.status);
      response.discard();
    }
    await env.outbound.check(origin, signal);
  }
}

import { LIMITS } from "@easel/protocol/limits";
import {
  DestinationBlocked,
  type OutboundRequest,
  type OutboundResponse,
} from "../../drivers/outbound/outbound.ts";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { locationOf, redirected, redirectTarget } from "./redirect.ts";
import { allowsPath, type UpstreamRequest } from "./upstream-request.ts";
import { readResponse, requireIdentity } from "./upstream-response.ts";

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
    if (error instanceof Refusal) throw error;
    if (deadline.aborted) return refuse("UPSTREAM_TIMEOUT");
    if (!gone.aborted) env.log.warn({ origin: request.origin, why: String(error) }, "a Connection failed");
    return refuse(error instanceof DestinationBlocked ? "DESTINATION_BLOCKED" : "UPSTREAM_UNAVAILABLE");
  }
}

/** Sends the request, and up to three further ones if the upstream redirects within its origin. */
async function follow(first: FullRequest, signal: AbortSignal, env: Env): Promise<UpstreamResponse> {
  let request = first;
  for (let left: number = LIMITS.connectionRedirects.value; ; left--) {
    const { url, origin, method, headers, body } = request;
    const path = url.pathname + url.search;
    const response = await env.outbound.send({ origin, path, method, headers, body }, signal);
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
      response.discard();
    }
    await env.outbound.check(origin, signal);
  }
}

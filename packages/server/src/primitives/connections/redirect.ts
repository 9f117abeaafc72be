import type { OutboundRequest, OutboundResponse } from "../../drivers/outbound/outbound.ts";
import { refuse } from "../../http/refusal.ts";

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

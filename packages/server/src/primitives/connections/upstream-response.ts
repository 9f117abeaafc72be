import { LIMITS } from "@easel/protocol/limits";
import { readAll } from "../../async/chunks.ts";
import type { OutboundResponse } from "../../drivers/outbound/outbound.ts";
import { refuse } from "../../http/refusal.ts";

/** Names of response headers of an upstream that are passed to the page. */
const KEPT = new Set([
  "content-type",
  "content-language",
  "etag",
  "last-modified",
  "retry-after",
  "link",
  "x-total-count",
  "x-request-id",
]);

/** Matches the names of rate-limit headers, such as `RateLimit-Remaining` and `X-RateLimit-Reset`. They are passed to the page, too. */
const RATE_LIMIT = /^(x-)?rate-?limit(-[a-z0-9-]+)?$/;

/** Matches header values that Node accepts in a response. */
const VALID = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers that the service sets on each response of an upstream. */
export const ADDED = {
  "x-service-connection-response": "upstream",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox",
};

/**
 * The headers that a response gets if the upstream did not send them. Null removes a header: the rate limits of the service would be
 * mistaken for those of the upstream.
 */
export const DEFAULTS = {
  "content-type": "application/octet-stream",
  "x-ratelimit-limit": null,
  "x-ratelimit-remaining": null,
  "x-ratelimit-reset": null,
};

/** Returns the response headers of an upstream that are passed to the page. */
export function keptHeaders(headers: OutboundResponse["headers"]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    const value = [values].flat().join(", ");
    if ((KEPT.has(name) || RATE_LIMIT.test(name)) && VALID.test(value)) kept[name] = value;
  }
  return kept;
}

/** Throws 403 `DESTINATION_BLOCKED` if the body of a response is compressed. */
export function requireIdentity({ headers }: Pick<OutboundResponse, "headers">): void {
  const encodings = [headers["content-encoding"] ?? []].flat().join(",").split(",");
  if (encodings.some((each) => !["", "identity"].includes(each.trim().toLowerCase())))
    refuse("DESTINATION_BLOCKED", { message: "The upstream compresses its response, although it must not." });
}

/** Statuses of responses that have no body. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Returns whether a response to a request with this method has a body. If it has none, its `content-length` says nothing about its size.
 */
export const hasBody = (method: string, status: number): boolean =>
  method !== "HEAD" && !WITHOUT_BODY.includes(status);

/**
 * Reads the body of a response. Throws 502 `RESPONSE_TOO_LARGE` if `content-length` is over the limit, or as soon as more bytes have
 * arrived.
 */
export async function readResponse(response: OutboundResponse, method: string): Promise<Buffer> {
  const most = LIMITS.connectionResponseBytes.value;
  const announced = hasBody(method, response.status) ? Number(response.headers["content-length"] ?? 0) : 0;
  if (announced > most) refuse("RESPONSE_TOO_LARGE");
  return await readAll(response.body, most, () => refuse("RESPONSE_TOO_LARGE"));
}

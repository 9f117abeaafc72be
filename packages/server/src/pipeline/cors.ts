import type { Env } from "../env.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import type { Visit } from "./visit.ts";

const EXPOSED =
  "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Service-Connection-Response";

/**
 * In subdomain mode, sets the CORS headers that allow a page of the canvas to read the response, also if it is an error (specification 4.1,
 * step 4). In path mode, sets none.
 */
export function setCorsHeaders(
  { slug, request, answer }: Pick<Visit, "slug" | "request" | "answer">,
  { base }: Env,
): void {
  if (base.urlMode !== "subdomain") return;
  answer.header("vary", "Origin");
  const { origin } = request.headers;
  if (origin === undefined || origin !== base.canvasOrigin(slug)) return;
  answer.header("access-control-allow-origin", origin);
  answer.header("access-control-allow-credentials", "true");
  answer.header("access-control-expose-headers", EXPOSED);
}

/**
 * Lets pages of the canvas read the response headers in `names`, in addition to `EXPOSED`. Does nothing in path mode: there, pages have the
 * same origin as the API and can read headers without permission.
 */
export function exposeHeaders(names: string[], answer: HeaderSink, { base }: Env): void {
  if (base.urlMode === "subdomain")
    answer.header("access-control-expose-headers", [EXPOSED, ...names].join(", "));
}

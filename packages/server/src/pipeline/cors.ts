import type { Env } from "../env.ts";
import type { Visit } from "./visit.ts";

const EXPOSED =
  "Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Service-Connection-Response";

/**
 * Sets the CORS headers by which a page in subdomain mode may read every response to it from the runtime API of its own canvas, errors
 * included (specification 4.1, step 4). Sets none in path mode.
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

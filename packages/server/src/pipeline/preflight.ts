import type { Env } from "../env.ts";
import { setCorsHeaders } from "./cors.ts";
import type { Visit } from "./visit.ts";

const TOKENS = /^[!#$%&'*+.^_`|~0-9a-z-]+(\s*,\s*[!#$%&'*+.^_`|~0-9a-z-]+)*$/i;

/** Sets the headers of the response to a CORS preflight, `OPTIONS /v1/c/{slug}/*`, which needs no authentication (specification 4.1). */
export function preflight(visit: Pick<Visit, "slug" | "request" | "answer">, env: Env): void {
  setCorsHeaders(visit, env);
  const requested = visit.request.headers["access-control-request-headers"];
  visit.answer.header("access-control-allow-methods", "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS");
  visit.answer.header(
    "access-control-allow-headers",
    requested !== undefined && TOKENS.test(requested) ? requested : "Content-Type",
  );
}

import type { Env } from "../env.ts";
import { setCorsHeaders } from "./cors.ts";
import type { Visit } from "./visit.ts";

const TOKENS = /^[!#$%&'*+.^_`|~0-9a-z-]+(\s*,\s*[!#$%&'*+.^_`|~0-9a-z-]+)*$/i;

/** The time in seconds for which browsers may keep the result of a preflight. It is the longest that Chromium accepts. */
const MAX_AGE = 7_200;

/** Sets the headers of the response to a CORS preflight, `OPTIONS /v1/c/{slug}/*`, which needs no authentication (specification 4.1). */
export function preflight(visit: Pick<Visit, "slug" | "request" | "answer">, env: Env): void {
  setCorsHeaders(visit, env);
  if (env.base.urlMode === "subdomain") visit.answer.header("access-control-max-age", MAX_AGE);
  const requested = visit.request.headers["access-control-request-headers"];
  visit.answer.header("access-control-allow-methods", "GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS");
  visit.answer.header(
    "access-control-allow-headers",
    requested !== undefined && TOKENS.test(requested) ? requested : "Content-Type",
  );
}

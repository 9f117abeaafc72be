import { ERRORS } from "@easel/protocol/errors";
import type { FastifyRequest } from "fastify";
import { roleOf } from "../access/roles.ts";
import type { Env } from "../env.ts";
import { methodOf } from "../http/methods.ts";
import type { Refusal } from "../http/refusal.ts";
import type { ApiVisit } from "../pipeline/visit.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The request as the pipeline of the runtime API sees it; null for requests to other parts of the service. */
    visit: ApiVisit | null;
  }
}

/** The maximum length of a path parameter in the log, percent-encoded, and of a message. */
const MAX_PARAM_LENGTH = 80;
const MAX_MESSAGE_LENGTH = 300;

/** The path parameters that the log contains: names that the page and its policy choose. Placeholders replace all others, such as ids. */
const SHOWN = new Set(["name", "collection", "profile", "key"]);

/** The start of the routes of the user scope. The log does not contain their keys, because only their user may read them. */
const USER_SCOPE = "/kv/user/";

/**
 * Whether a call has read a key or a submission that does not exist. This is a normal result, because a page reads them before it first
 * writes them. `path` is the path below that of the canvas, or the pattern of the route.
 */
export const isMissing = (method: string, path: string, code: unknown): boolean =>
  method === "GET" &&
  code === "NOT_FOUND" &&
  /^\/(kv(\/user)?\/[^/?]+|submissions\/[^/?]+\/mine)(\?|$)/.test(path);

/**
 * Returns the path of a request below that of its canvas for the log, such as `/kv/greeting` or `/files/{id}`. It is built from the pattern
 * of the route, because the path itself can contain personal data.
 */
function loggedRoute(request: FastifyRequest, pattern: string): string {
  return pattern.replace("*", "{path}").replace(/:(\w+)/g, (_, name: string) => {
    const value = (request.params as Record<string, string>)[name];
    if (value === undefined || !SHOWN.has(name) || pattern.startsWith(USER_SCOPE)) return `{${name}}`;
    const encoded = encodeURIComponent(value.toWellFormed());
    return encoded.length > MAX_PARAM_LENGTH ? `{${name}}` : encoded;
  });
}

/** Replaces the control characters of a text, because PostgreSQL cannot store NUL, and cuts the text to a length in characters. */
export const shortened = (text: string, length: number): string =>
  text
    .slice(0, length)
    .toWellFormed()
    .replace(/\p{Cc}/gu, "\ufffd");

/**
 * Adds a refused or failed call to the call log of its canvas. Ignores calls to canvases that do not exist or are deleted, calls whose client
 * has disconnected, and reads of keys and submissions that do not exist.
 */
export function logCall(
  request: FastifyRequest,
  { status, code, body, headers }: Pick<Refusal, "status"> & Partial<Refusal>,
  { callLog, clock }: Env,
): void {
  const { canvas, principal, route = "" } = request.visit ?? {};
  if (!canvas || canvas.deletedAt !== null || request.raw.socket.destroyed) return;
  if (isMissing(request.method, route, code)) return;
  const user = principal === undefined || principal.kind === "visitor" ? null : principal;
  // The only redirect of the runtime API leads to the sign-in.
  const text =
    headers?.location === undefined ? (body?.message ?? body?.error) : ERRORS.NOT_AUTHENTICATED.message;
  callLog.add(
    canvas,
    {
      at: clock(),
      method: methodOf(request.raw),
      route: loggedRoute(request, route || "/"),
      status,
      code: code ?? null,
      message: text === undefined ? null : shortened(String(text), MAX_MESSAGE_LENGTH),
      userId: user?.id ?? null,
      requestId: request.id,
      pageError: null,
    },
    user !== null && roleOf(user, canvas) !== null ? "insider" : "outsider",
  );
}

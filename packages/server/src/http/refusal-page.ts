import type { FastifyReply, FastifyRequest } from "fastify";
import { type Html, html, sendPage } from "./html.ts";
import type { Refusal } from "./refusal.ts";
import { wantsPage } from "./wants-page.ts";

/** The paths that programs use. Their errors are JSON, regardless of `Accept`. */
const PROGRAM_PATHS =
  /^\/(api|v1|sdk|healthz|readyz|metrics|\.well-known|oauth\/(token|revoke|device_authorization))([/?]|$)/;

/** Titles of error pages by status. */
const TITLES: Record<number, string> = {
  401: "You are not signed in",
  403: "Not allowed",
  404: "Nothing here",
  421: "Not at this address",
  429: "One moment",
  500: "Something went wrong",
  503: "Not available right now",
  507: "No space left",
};

/** Whether the response to an error is a page rather than JSON. */
export const wantsErrorPage = ({ url, headers }: FastifyRequest): boolean =>
  wantsPage(headers) && !PROGRAM_PATHS.test(url);

/** Returns the number of seconds in the `Retry-After` header of the response, or 0 if it has none. */
export const retryAfterOf = (reply: FastifyReply): number => Number(reply.getHeader("retry-after") ?? 0);

/** Renders how many seconds to wait, and a link back to the requested page. */
export const retryLink = (wait: number, to: string): Html =>
  html`<p>Wait ${wait > 1 ? `${wait} seconds` : "a moment"}, then go on.</p><a class="button" href="${to}">Try again</a>`;

/** The statuses of errors after which a later retry can succeed. */
const TEMPORARY = [429, 503];

/**
 * Sends the error page of a Refusal, with links to the home page and the documentation, and a link to retry if a retry can help. From status 500 on, the page
 * shows the request id, by which operators find the request in the log. `origin` is the origin of the service.
 */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, message }: Refusal,
  origin: string,
): FastifyReply {
  const title = TITLES[status] ?? "That did not work";
  // The path begins with exactly one slash, because a browser would read the text after `//` as a host name.
  const samePage = request.originalUrl.replace(/^\/*/, "/");
  const again = TEMPORARY.includes(status) && ["GET", "HEAD"].includes(request.method);
  return sendPage(reply, {
    title,
    narrow: true,
    body: html`<h1>${title}</h1><p>${message}</p>${again ? retryLink(retryAfterOf(reply), samePage) : null}
      <footer class="links">${status < 500 ? null : html`<p>Request ${request.id}</p>`}
      <a href="${origin}/">Your canvases</a><a href="${origin}/docs">Documentation</a></footer>`,
  });
}

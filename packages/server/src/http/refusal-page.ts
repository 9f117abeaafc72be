import type { FastifyReply, FastifyRequest } from "fastify";
import { type Html, html, sendPage } from "./html.ts";
import type { Refusal } from "./refusal.ts";
import { wantsPage } from "./wants-page.ts";

/** What is for programs alone: they get JSON, whatever they say that they accept. */
const PROGRAMS = /^\/(api|v1|sdk|healthz|readyz|metrics)([/?]|$)/;

/** Titles of refusals by status. */
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

/** Whether a refusal is read by a person, who gets a page. */
export const isForPeople = ({ url, headers }: FastifyRequest): boolean =>
  wantsPage(headers) && !PROGRAMS.test(url);

/** Seconds until a request that was too many may be sent again; 0 where the answer names none. */
export const waitOf = (reply: FastifyReply): number => Number(reply.getHeader("retry-after") ?? 0);

/** Tells how long to wait, and leads back to the page that was asked for. */
export const tryAgain = (wait: number, to: string): Html =>
  html`<p>Wait ${wait > 1 ? `${wait} seconds` : "a moment"}, then go on.</p><a class="button" href="${to}">Try again</a>`;

/** Statuses of refusals that waiting helps against. */
const PASSING = [429, 503];

/**
 * Tells a person of a refusal that has no page of its own, and leads on: to the same page where waiting helps, and to the home
 * page. Of a bug also how to name it to those who run the service. `origin` is that of the service.
 */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, message }: Refusal,
  origin: string,
): FastifyReply {
  const title = TITLES[status] ?? "That did not work";
  // One slash: two would begin the name of another host.
  const samePage = request.originalUrl.replace(/^\/*/, "/");
  const again = PASSING.includes(status) && ["GET", "HEAD"].includes(request.method);
  return sendPage(reply, {
    title,
    narrow: true,
    body: html`<h1>${title}</h1><p>${message}</p>${again ? tryAgain(waitOf(reply), samePage) : null}
      <footer class="links">${status < 500 ? null : html`<p>Request ${request.id}</p>`}
      <a href="${origin}/">Your canvases</a></footer>`,
  });
}

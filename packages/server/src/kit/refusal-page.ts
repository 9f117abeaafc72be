import type { FastifyReply, FastifyRequest } from "fastify";
import { html, sendPage } from "./html.ts";
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

/** Tells a person of a refusal that has no page of its own; of a bug also how to name it to those who run the service. */
export function sendRefusal(
  reply: FastifyReply,
  { status, message }: Refusal,
  requestId: string,
): FastifyReply {
  const title = TITLES[status] ?? "That did not work";
  return sendPage(reply, {
    title,
    narrow: true,
    body: html`<h1>${title}</h1><p>${message}</p>
      ${status < 500 ? null : html`<footer class="links"><p>Request ${requestId}</p></footer>`}`,
  });
}

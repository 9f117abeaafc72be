import type { ErrorCode } from "@easel/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { html, sendPage } from "../kit/html.ts";
import type { Refusal } from "../kit/refusal.ts";
import { wantsPage } from "../kit/wants-page.ts";

const TITLES: Partial<Record<ErrorCode, string>> = {
  NOT_FOUND: "Nothing here",
  ARCHIVED: "Archived",
  DISABLED: "Switched off",
  OWNER_ONLY: "Not shared with you",
  NOT_INVITED: "Not shared with you",
  SHARE_EXPIRED: "No longer shared",
  PASSWORD_REQUIRED: "Protected",
};

/** Tells a refused visitor of a canvas why: a browser by a small page, a program by the usual JSON. */
export function notice(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const title = refusal.code && TITLES[refusal.code];
  if (title === undefined || !wantsPage(request.headers)) throw refusal;
  return sendPage(reply.code(refusal.status), {
    title,
    narrow: true,
    body: html`<h1>${title}</h1><p>${refusal.message}</p><a class="button" href="/">All your canvases</a>`,
  });
}

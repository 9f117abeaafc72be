import type { FastifyReply } from "fastify";
import { redirectKind } from "../../access/redirect-uri.ts";
import { html, sendPage } from "../../http/html.ts";

/**
 * Sends a browser back to a program with the answer of a person. `url` is the redirect URI with the parameters of the response. An application
 * is opened from a page with a link: a browser that cannot open it shows nothing, and the person would not know what to do.
 */
export function sendBack(
  reply: FastifyReply,
  redirectUri: string,
  url: string,
  allowed: boolean,
): FastifyReply {
  if (redirectKind(redirectUri) !== "private") return reply.redirect(url, 303);
  reply.header("refresh", `0; url=${url}`);
  return sendPage(reply, {
    title: allowed ? "Allowed" : "Cancelled",
    narrow: true,
    body: html`<h1>${allowed ? "Allowed" : "Nothing is allowed"}</h1>
      <p>Your browser opens the application now. If nothing happens, open it by this button${allowed ? " within a minute" : null}.</p>
      <a class="button" href="${url}">Open the application</a>
      <footer class="links"><a href="/">Your canvases</a></footer>`,
  });
}

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { address, type Html, html, sendPage } from "../http/html.ts";
import type { Refusal } from "../http/refusal.ts";
import { retryAfterOf } from "../http/refusal-page.ts";
import { wantsPage } from "../http/wants-page.ts";
import { ENTER } from "../sign-in/hand-over.ts";
import { ERROR_PAGE_TEXTS } from "./error-page-texts.ts";
import { factsFor } from "./refusal-facts.ts";

/** The canvas, path and caller of a refused request. `path` is relative to the canvas's URL. */
export interface RefusedPage {
  slug: string;
  path: string;
  principal: Principal;
}

/**
 * Sends the HTML error page for a refused request to a canvas page. Rethrows the refusal if the client does not accept HTML, or if there is
 * no error page for the error code.
 */
export async function sendCanvasErrorPage(
  refusal: Refusal,
  refused: RefusedPage,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const render = refusal.code && ERROR_PAGE_TEXTS[refusal.code];
  if (render === undefined || !wantsPage(request.headers)) throw refusal;
  const { slug, path, principal } = refused;
  const canvas = env.base.canvasUrl(slug);
  const facts = await factsFor(refusal.code, slug, principal, env);
  const { title, heading, says } = render({
    principal,
    facts,
    canvas,
    path,
    message: refusal.message,
    again: request.method === "POST",
    wait: retryAfterOf(reply),
  });
  return sendPage(reply.code(refusal.status), {
    title,
    narrow: true,
    formsLeadTo: signInOrigins(env),
    body: html`<h1>${heading ?? title}</h1>${says}${accountLinks(principal, canvas, path, env)}`,
  });
}

/**
 * Returns the origins for the CSP directive `form-action`. The server may redirect the password form to the sign-in, and from there to the
 * OpenID provider.
 */
const signInOrigins = ({ base, config }: Env): string =>
  config.oidcIssuer === null ? base.origin : `${base.origin} ${new URL(config.oidcIssuer).origin} https:`;

/**
 * Renders the e-mail address of the signed-in user and a link to sign in as another user. Without a user, renders a link to sign in. The
 * link to the documentation, which is public, is the same for every canvas and caller.
 */
function accountLinks(principal: Principal, canvas: string, path: string, { base, config }: Env): Html {
  const home = html`<a href="${base.origin}/">Your canvases</a>`;
  const docs = html`<a href="${base.origin}/docs">Documentation</a>`;
  const login = `${base.origin}/auth/login?returnTo=${encodeURIComponent(canvas + path)}`;
  const link = (to: string, words: string) =>
    config.authMode === "proxy" ? null : html`<a href="${to}">${words}</a>`;
  if (principal === null) {
    // In subdomain mode the browser may be signed in on the base host and only lack the cookie of this canvas host. The URL `enter` sets
    // this cookie.
    const enter = `${canvas}${ENTER}?to=${encodeURIComponent(`/${path}`)}`;
    const signIn = link(base.urlMode === "subdomain" ? enter : login, "Sign in");
    return html`<footer class="links"><p>You are not signed in here.</p>${signIn}${docs}</footer>`;
  }
  if (principal.guestOf !== null) {
    return html`<footer class="links"><p>Invited as a guest: ${address(principal.email)}</p>${link(login, "Sign in")}${home}${docs}</footer>`;
  }
  const other = link(`${login}&anew=1`, "Sign in as someone else");
  return html`<footer class="links"><p>Signed in as ${address(principal.email)}</p>${other}${home}${docs}</footer>`;
}

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { address, type Html, html, sendPage } from "../kit/html.ts";
import type { Refusal } from "../kit/refusal.ts";
import { wantsPage } from "../kit/wants-page.ts";
import type { Viewer } from "../pipeline/visit.ts";
import { NOTICES } from "./notices.ts";

/** A refused visit to a page of a canvas. `path` is below the canvas's address. */
export interface Refused {
  slug: string;
  path: string;
  viewer: Viewer;
}

/** Tells a refused visitor of a canvas why: a browser by a small page, a program by the usual JSON. */
export function notice(
  refusal: Refusal,
  refused: Refused,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): FastifyReply {
  const words = refusal.code && NOTICES[refusal.code];
  if (words === undefined || !wantsPage(request.headers)) throw refusal;
  const { slug, path, viewer } = refused;
  const canvas = env.base.canvasUrl(slug);
  const { title, heading, says } = words({
    viewer,
    canvas,
    path,
    message: refusal.message,
    again: request.method === "POST",
    wait: Number(reply.getHeader("retry-after") ?? 0),
  });
  return sendPage(reply.code(refusal.status), {
    title,
    narrow: true,
    formsLeadTo: signInAt(env),
    body: html`<h1>${heading ?? title}</h1>${says}${whoYouAre(viewer, canvas + path, env)}`,
  });
}

/** Who gives the password after the session has ended is led to the sign-in, and from there on to an OpenID provider. */
const signInAt = ({ base, config }: Env): string =>
  config.oidcIssuer === null ? base.origin : `${base.origin} ${new URL(config.oidcIssuer).origin} https:`;

/** As whom the visitor was refused, and how to be someone else. */
function whoYouAre(viewer: Viewer, page: string, { base, config }: Env): Html | null {
  const home = html`<a href="${base.origin}/">Your canvases</a>`;
  const login = `${base.origin}/auth/login?returnTo=${encodeURIComponent(page)}`;
  const signIn = config.authMode === "proxy" ? null : html`<a href="${login}">Sign in</a>`;
  if (viewer === null) {
    return signIn && html`<footer class="links"><p>You are not signed in.</p>${signIn}</footer>`;
  }
  if (viewer.guestOf !== null) {
    return html`<footer class="links"><p>Invited as a guest: ${address(viewer.email)}</p>${signIn}${home}</footer>`;
  }
  const other = signIn && html`<a href="${login}&amp;anew=1">Sign in as someone else</a>`;
  return html`<footer class="links"><p>Signed in as ${address(viewer.email)}</p>${other}${home}</footer>`;
}

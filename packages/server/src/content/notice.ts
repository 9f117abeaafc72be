import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { address, type Html, html, sendPage } from "../http/html.ts";
import type { Refusal } from "../http/refusal.ts";
import { retryAfterOf } from "../http/refusal-page.ts";
import { wantsPage } from "../http/wants-page.ts";
import { ENTER } from "../sign-in/hand-over.ts";
import { NOTICES } from "./notices.ts";
import { factsFor } from "./refusal-facts.ts";

/** A refused visit to a page of a canvas. `path` is below the canvas's address. */
export interface Refused {
  slug: string;
  path: string;
  principal: Principal;
}

/** Tells a refused visitor of a canvas why: a browser by a small page, a program by the usual JSON. */
export async function notice(
  refusal: Refusal,
  refused: Refused,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const words = refusal.code && NOTICES[refusal.code];
  if (words === undefined || !wantsPage(request.headers)) throw refusal;
  const { slug, path, principal } = refused;
  const canvas = env.base.canvasUrl(slug);
  const facts = await factsFor(refusal.code, slug, principal, env);
  const { title, heading, says } = words({
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
    formsLeadTo: signInAt(env),
    body: html`<h1>${heading ?? title}</h1>${says}${whoYouAre(principal, canvas, path, env)}`,
  });
}

/** Who gives the password after the session has ended is led to the sign-in, and from there on to an OpenID provider. */
const signInAt = ({ base, config }: Env): string =>
  config.oidcIssuer === null ? base.origin : `${base.origin} ${new URL(config.oidcIssuer).origin} https:`;

/** As whom the visitor was refused, and how to be someone else. */
function whoYouAre(principal: Principal, canvas: string, path: string, { base, config }: Env): Html | null {
  const home = html`<a href="${base.origin}/">Your canvases</a>`;
  const login = `${base.origin}/auth/login?returnTo=${encodeURIComponent(canvas + path)}`;
  const link = (to: string, words: string) =>
    config.authMode === "proxy" ? null : html`<a href="${to}">${words}</a>`;
  if (principal === null) {
    // At the host of a canvas that is open to anyone, who has signed in is still to come in.
    const enter = `${canvas}${ENTER}?to=${encodeURIComponent(`/${path}`)}`;
    const signIn = link(base.urlMode === "subdomain" ? enter : login, "Sign in");
    return signIn && html`<footer class="links"><p>You are not signed in here.</p>${signIn}</footer>`;
  }
  if (principal.guestOf !== null) {
    return html`<footer class="links"><p>Invited as a guest: ${address(principal.email)}</p>${link(login, "Sign in")}${home}</footer>`;
  }
  const other = link(`${login}&anew=1`, "Sign in as someone else");
  return html`<footer class="links"><p>Signed in as ${address(principal.email)}</p>${other}${home}</footer>`;
}

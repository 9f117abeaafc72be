import type { FastifyReply } from "fastify";
import { redirectKind } from "../access/redirect-uri.ts";
import type { Base } from "../config/addresses.ts";
import { html, sendPage } from "../http/html.ts";
import type { OAuthErrorCode } from "./program-endpoint.ts";

/** Where a program gets the answer of a person, and by what it knows its request again. */
export interface WayBack {
  redirectUri: string;
  state: string | null;
}

/** The answer to an authorization request (RFC 6749, sections 4.1.2 and 4.1.2.1). */
export type Answer = { code: string } | { error: OAuthErrorCode; error_description: string };

/** Returns the redirect URI with the parameters of an answer, including the issuer `iss` (RFC 9207). */
export function answerUrl({ redirectUri, state }: WayBack, answer: Answer, { origin }: Base): string {
  const stated = state === null ? {} : { state };
  const parameters = new URLSearchParams({ ...answer, ...stated, iss: origin });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${parameters}`;
}

/**
 * Returns the CSP source that matches the redirect URI to which the answer to a form leads, or null if the answer is a page. CSP has no sources
 * for IPv6 addresses, so the source is then `http:`.
 */
export function formTarget(redirectUri: string): string | null {
  if (redirectKind(redirectUri) === "private") return null;
  const { origin, hostname } = new URL(redirectUri);
  return hostname.startsWith("[") ? "http:" : origin;
}

/**
 * Sends the browser of a person back to a program with their answer. An application is opened from a page with a link: a browser that cannot
 * open it shows nothing, and the person would not know what to do.
 */
export function sendBack(reply: FastifyReply, way: WayBack, answer: Answer, base: Base): FastifyReply {
  const url = answerUrl(way, answer, base);
  reply.header("cache-control", "private, no-store").header("referrer-policy", "no-referrer");
  if (redirectKind(way.redirectUri) !== "private") return reply.redirect(url, 303);
  const allowed = "code" in answer;
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

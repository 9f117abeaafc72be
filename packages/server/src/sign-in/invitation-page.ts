import type { FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { address, html, sendPage } from "../http/html.ts";

/** What becomes of a link that was revoked, or never was one. */
export const NO_LONGER_GOOD = "This invitation is no longer good. Ask whoever sent it for a new one.";

/** The page of a link that leads nowhere. */
export const sendNoLongerGood = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(404), {
    title: "Invitation no longer good",
    narrow: true,
    body: html`<h1>No longer good</h1><p>${NO_LONGER_GOOD}</p>
      <footer class="links"><a href="/">Your canvases</a></footer>`,
  });

/** Asks someone whose session would end whether they want to be a guest instead. */
export const sendQuestion = (reply: FastifyReply, user: User, guest: User, { base }: Env): FastifyReply =>
  sendPage(reply, {
    title: "Go on as a guest?",
    narrow: true,
    formsLeadTo: base.canvasHosts,
    body: html`<h1>Go on as a guest?</h1>
      <p>This invitation is for <strong>${address(guest.email)}</strong>. You are here as <strong>${address(user.email)}</strong>, who may
        not open that canvas.</p>
      <form method="post"><button class="button">Sign out and go on</button></form>
      <footer class="links"><a href="/">Stay signed in</a></footer>`,
  });

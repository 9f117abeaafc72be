import type { FastifyReply } from "fastify";
import type { User } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { address, html, sendPage } from "../http/html.ts";

/** The message for an unknown or revoked invitation. */
export const INVALID_INVITATION =
  "This invitation is no longer valid. Ask the person who sent it for a new one.";

/** Sends the page for an unknown or revoked invitation. */
export const sendInvalidInvitation = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(404), {
    title: "Invitation no longer valid",
    narrow: true,
    body: html`<h1>No longer valid</h1><p>${INVALID_INVITATION}</p>
      <footer class="links"><a href="/">Your canvases</a></footer>`,
  });

/** Sends the page that asks a signed-in user to confirm becoming a guest, which ends their session. */
export const sendConfirmation = (reply: FastifyReply, user: User, guest: User, { base }: Env): FastifyReply =>
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

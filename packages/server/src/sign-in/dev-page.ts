import type { FastifyReply } from "fastify";
import type { Env } from "../env.ts";
import { html, sendPage } from "../http/html.ts";

const MAX_USERS = 12;

/** Sends the sign-in page of dev mode. After a failed attempt the page shows the address that was entered and the error message `fault`. */
export async function sendSignInPage(
  reply: FastifyReply,
  { returnTo, email = "", fault }: { returnTo: string; email?: string; fault?: string },
  env: Env,
): Promise<FastifyReply> {
  const known = await env.db.all<{ email: string; name: string }>`
    select email, name from users where deactivated_at is null order by created_at limit ${MAX_USERS}`;
  const people = known.map(
    (each) => html`<li><button class="card" name="email" value="${each.email}">
      <strong>${each.name}</strong><small>${each.email}</small></button></li>`,
  );
  const back = html`<input type="hidden" name="returnTo" value="${returnTo}">`;
  const at = fault === undefined ? null : html`aria-invalid="true" aria-describedby="fault" autofocus`;
  return sendPage(reply, {
    title: fault === undefined ? "Sign in" : "Not signed in",
    narrow: true,
    formsLeadTo: env.base.canvasHosts,
    body: html`<h1>Who are you?</h1>
      <p>This is dev mode: pick anyone or name someone new. It listens on this computer only.</p>
      <form method="post" action="/auth/login">${back}<ul>${people}</ul></form>
      <form method="post" action="/auth/login">${back}
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" value="${email}" required autocomplete="off" ${at}>
        ${fault === undefined ? null : html`<p class="fault" id="fault" role="alert">${fault}</p>`}
        <label for="name">Name, if you like</label><input id="name" name="name" maxlength="200" autocomplete="off">
        <button class="button">Sign in</button></form>`,
  });
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { normalEmail } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { readJson } from "../http/body.ts";
import { requireSameOrigin } from "../http/cross-site.ts";
import { readFields } from "../http/form-fields.ts";
import { html, sendPage } from "../http/html.ts";
import { firstValue, type Query } from "../http/query.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { networkOf, wantsPage } from "../http/request-headers.ts";
import { noteRefusedSignIn } from "../http/security-log.ts";
import { startSession } from "../identity/session.ts";
import { cleanName, upsertUser } from "../identity/users.ts";
import { RequestBody } from "../operations/request-input.ts";
import { countAttempt, safeReturn } from "./challenge.ts";

const MAX_USERS = 12;

/** Sends the sign-in page of dev mode. After a failed attempt the page shows the address that was entered and the error message `fault`. */
async function sendSignInPage(
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

const Session = z.strictObject({
  email: z.string(),
  name: z
    .string()
    .regex(/^\P{Cc}*$/u)
    .trim()
    .min(1)
    .max(200)
    .optional(),
});

/**
 * Mounts the sign-in of dev mode, which needs no credentials and works on loopback addresses only: a page to pick a user, and an endpoint
 * for programs.
 */
export function mountDevSignIn(app: FastifyInstance, env: Env): void {
  /**
   * Starts a session for the user with the given e-mail address, and creates the user if there is none. Returns the `Set-Cookie` header.
   * Throws a `Refusal` if the user may not sign in.
   */
  async function signIn(
    given: { email: string; name?: string | undefined },
    request: FastifyRequest,
  ): Promise<string> {
    const email = normalEmail(given.email, env.config.allowedEmailDomains);
    if (email === null) {
      noteRefusedSignIn("not_allowed", {}, request, env);
      return refuse("INVALID_BODY", { message: "That is no e-mail address that may sign in here." });
    }
    const user = await upsertUser(env.db, email, given.name ?? null, env.clock());
    return user === null
      ? refuse("PERMISSION_DENIED", { message: "This person is deactivated." })
      : startSession(user, request, env);
  }

  async function guard(request: FastifyRequest, reply: HeaderSink): Promise<void> {
    requireSameOrigin(request.headers, env.base);
    if (!(await countAttempt(request, reply, env))) refuse("RATE_LIMITED");
  }

  app.post("/auth/dev/session", async (request, reply) => {
    await guard(request, reply);
    const given = await readJson(new RequestBody(request.raw), Session, networkOf(request.ip), env);
    const cookie = await signIn(given, request);
    return reply.code(204).header("set-cookie", cookie).send();
  });

  app.post("/auth/login", async (request, reply) => {
    await guard(request, reply);
    const form = await readFields(request);
    const email = form.get("email") ?? "";
    const returnTo = safeReturn(form.get("returnTo") ?? undefined, env.base);
    const name = cleanName(form.get("name")) ?? undefined;
    try {
      return reply.header("set-cookie", await signIn({ email, name }, request)).redirect(returnTo, 303);
    } catch (error) {
      if (!(error instanceof Refusal) || !wantsPage(request.headers)) throw error;
      return sendSignInPage(reply.code(error.status), { returnTo, email, fault: error.message }, env);
    }
  });

  app.get("/auth/login", async (request, reply) =>
    sendSignInPage(
      reply,
      { returnTo: safeReturn(firstValue(request.query as Query, "returnTo"), env.base) },
      env,
    ),
  );
}

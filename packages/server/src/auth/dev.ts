import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Env } from "../env.ts";
import { readBody } from "../kit/body.ts";
import { normalEmail } from "../kit/email.ts";
import { html, sendPage } from "../kit/html.ts";
import { readJson } from "../kit/json-body.ts";
import { one, type Query } from "../kit/page.ts";
import { refuse } from "../kit/refusal.ts";
import { type HeaderSink, take } from "../rate-limit.ts";
import { requireOwnPage } from "./own-page.ts";
import { arrive } from "./people.ts";
import { safeReturn } from "./return-to.ts";
import { startSession } from "./session.ts";

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

/** Dev mode: anyone may be anyone, on loopback only. A page to pick a person, and the same for programs. */
export function mountDevSignIn(app: FastifyInstance, env: Env): void {
  /** Starts a session for an address; answers the `Set-Cookie` header. */
  async function signIn(
    given: { email: string; name?: string | undefined },
    request: FastifyRequest,
  ): Promise<string> {
    const email = normalEmail(given.email, env.config.allowedEmailDomains);
    if (email === null)
      return refuse("INVALID_BODY", { message: "`email` is no address that may sign in here." });
    const person = await arrive(env.db, email, given.name ?? null, env.clock());
    return person === null
      ? refuse("PERMISSION_DENIED", { message: "This person is deactivated." })
      : startSession(person, request, env);
  }

  async function guard(request: FastifyRequest, answer: HeaderSink): Promise<void> {
    requireOwnPage(request.headers, env.base);
    if (!(await take(`login ${request.ip}`, env.config.loginPerMinute, answer, env))) refuse("RATE_LIMITED");
  }

  app.post("/auth/dev/session", async (request, reply) => {
    await guard(request, reply);
    const cookie = await signIn(await readJson(request.raw, Session), request);
    return reply.code(204).header("set-cookie", cookie).send();
  });

  app.post("/auth/login", async (request, reply) => {
    await guard(request, reply);
    const body = await readBody(request.raw, 8 * 1024, () => refuse("INVALID_BODY", {}, 413));
    const form = new URLSearchParams(body.toString("utf8"));
    const name =
      form
        .get("name")
        ?.replace(/\p{Cc}/gu, "")
        .trim()
        .slice(0, 200) || undefined;
    const cookie = await signIn({ email: form.get("email") ?? "", name }, request);
    return reply
      .header("set-cookie", cookie)
      .redirect(safeReturn(form.get("returnTo") ?? undefined, env.base), 303);
  });

  app.get("/auth/login", async (request, reply) => {
    const returnTo = safeReturn(one(request.query as Query, "returnTo"), env.base);
    const known = await env.db.all<{ email: string; name: string }>`
      select email, name from users where deactivated_at is null order by created_at limit 12`;
    const people = known.map(
      ({ email, name }) => html`<li><button class="card" name="email" value="${email}">
        <strong>${name}</strong><small>${email}</small></button></li>`,
    );
    return sendPage(reply, {
      title: "Sign in",
      narrow: true,
      formsLeadTo: env.base.canvasHosts,
      body: html`<h1>Who are you?</h1>
        <p>This is dev mode: pick anyone or name someone new. It listens on this computer only.</p>
        <form method="post" action="/auth/login"><input type="hidden" name="returnTo" value="${returnTo}"><ul>${people}</ul></form>
        <form method="post" action="/auth/login"><input type="hidden" name="returnTo" value="${returnTo}">
          <label for="email">E-mail address</label><input id="email" name="email" type="email" required autocomplete="off">
          <label for="name">Name, if you like</label><input id="name" name="name" maxlength="200" autocomplete="off">
          <button class="button">Sign in</button></form>`,
    });
  });
}

import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { normalEmail } from "../access/email.ts";
import type { Env } from "../env.ts";
import { readBody, refuseLargeBody } from "../http/body.ts";
import { requireSameOrigin } from "../http/csrf.ts";
import { readJson } from "../http/json-body.ts";
import { firstValue, type Query } from "../http/query.ts";
import type { HeaderSink } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { wantsPage } from "../http/wants-page.ts";
import { startSession } from "../identity/session.ts";
import { cleanName, upsertUser } from "../identity/users.ts";
import { countAttempt } from "./attempts.ts";
import { sendSignInPage } from "./dev-page.ts";
import { safeReturn } from "./return-to.ts";

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

/** The maximum size of the sign-in form in bytes. */
const MAX_FORM_BYTES = 8 * 1024;

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
    if (email === null)
      return refuse("INVALID_BODY", { message: "That is no e-mail address that may sign in here." });
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
    const cookie = await signIn(await readJson(request.raw, Session, env), request);
    return reply.code(204).header("set-cookie", cookie).send();
  });

  app.post("/auth/login", async (request, reply) => {
    await guard(request, reply);
    const body = await readBody(request.raw, MAX_FORM_BYTES, () => refuseLargeBody(MAX_FORM_BYTES));
    const form = new URLSearchParams(body.toString("utf8"));
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

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import type { Caller } from "../identity/credential.ts";
import { askByMail } from "../mail/access-requests.ts";
import { resolve } from "../pipeline/resolve.ts";
import type { Visit } from "../pipeline/visit.ts";
import { factsFor } from "./error-pages.ts";
import { formTarget, requireOwnForm } from "./forms.ts";

/**
 * Handles `POST {canvas}/__ask`: asks the owner of a canvas for access, once a day, and redirects to the page that was refused, which then says so.
 * Only who gets the form on the page of the refusal can ask; everyone else gets that page again, so that nothing is revealed that it does not show.
 */
export async function askForAccess(
  visit: Visit,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  requireOwnForm(visit.slug, visit.request, env);
  const { user } = caller;
  const mayTry =
    user.kind === "visitor" ||
    (await take({ rateClass: "ask", owner: user.id }, env.config.gatePerMinute, reply, env));
  if (!mayTry) refuse("RATE_LIMITED");
  try {
    await resolve(visit, caller, env);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "OWNER_ONLY") throw error;
    const { asks } = await factsFor("OWNER_ONLY", visit.slug, user, env);
    const isAsked = asks?.state === "asked" || (asks?.state === "open" && (await askByMail(asks, user, env)));
    if (!isAsked) throw error;
  }
  return reply
    .header("cache-control", "private, no-store")
    .redirect(formTarget(visit.slug, request, env), 303);
}

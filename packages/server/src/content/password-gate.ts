import type { FastifyReply, FastifyRequest } from "fastify";
import { openGate } from "../canvases/gate-cookie.ts";
import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { readBody, refuseLargeBody } from "../http/body.ts";
import { giveBack, take } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import { networkOf } from "../http/request-headers.ts";
import type { Caller } from "../identity/credential.ts";
import { resolve } from "../pipeline/resolve.ts";
import type { Visit } from "../pipeline/visit.ts";
import { formTarget, requireOwnForm } from "./forms.ts";

const MAX_FORM_BYTES = 8 * 1024;

/**
 * All anonymous callers of one canvas together may enter `NETWORKS_PER_CANVAS * gatePerMinute` wrong passwords per minute. Each network may
 * enter `gatePerMinute` passwords per minute, right or wrong.
 */
const NETWORKS_PER_CANVAS = 5;

/**
 * Handles the password form, `POST {canvas}/__gate`. The right password sets the cookie `__service_gate` and redirects to the requested
 * page (docs/sharing.md#passwords). A request that the sharing rules refuse does not count as an attempt.
 */
export async function submitPassword(
  visit: Visit,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  requireOwnForm(visit.slug, visit.request, env);
  const principal = caller.user;
  const { canvas } = await resolve(visit, caller, env, true);
  const network = networkOf(request.ip);
  await limit({ rateClass: "gate", owner: network }, 1);
  const isVisitor = principal.kind === "visitor";
  if (!isVisitor) await limit({ rateClass: "gate.person", owner: principal.id }, 1);
  const body = await readBody(request.raw, MAX_FORM_BYTES, () => refuseLargeBody(MAX_FORM_BYTES));
  const form = new URLSearchParams(body.toString("utf8"));
  const password = form.get("password") ?? "";
  if (canvas.passwordHash !== null) {
    const ofCanvas: Bucket = { rateClass: "gate.canvas", owner: canvas.id };
    if (isVisitor) await limit(ofCanvas, NETWORKS_PER_CANVAS);
    if (!(await env.passwords.verify(password, canvas.passwordHash, isVisitor ? network : principal.id))) {
      refuse("PASSWORD_REQUIRED", { message: "That is not the password." });
    }
    if (isVisitor) await giveBack(ofCanvas, env);
    for (const cookie of openGate(canvas, principal, env)) reply.header("set-cookie", cookie);
  }
  return reply
    .header("cache-control", "private, no-store")
    .redirect(formTarget(canvas.slug, request, env), 303);

  async function limit(bucket: Bucket, times: number): Promise<void> {
    if (!(await take(bucket, times * env.config.gatePerMinute, reply, env))) refuse("RATE_LIMITED");
  }
}

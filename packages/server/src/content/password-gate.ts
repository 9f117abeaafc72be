import type { FastifyReply, FastifyRequest } from "fastify";
import type { Canvas } from "../canvases/access-lookup.ts";
import { openGate } from "../canvases/gate-cookie.ts";
import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { readFields } from "../http/form-fields.ts";
import { giveBack, take } from "../http/rate-limit.ts";
import { refuse } from "../http/refusal.ts";
import { networkOf } from "../http/request-headers.ts";
import type { Caller } from "../identity/credential.ts";
import { receiveForm } from "../operations/received-form.ts";
import { authenticateAgain } from "../pipeline/authenticate.ts";
import { resolve } from "../pipeline/resolve.ts";
import type { Visit } from "../pipeline/visit.ts";
import { formTarget, requireOwnForm } from "./forms.ts";

/**
 * All anonymous callers of one canvas together may enter `NETWORKS_PER_CANVAS * gatePerMinute` wrong passwords per minute. Each network may
 * enter `gatePerMinute` passwords per minute, right or wrong.
 */
const NETWORKS_PER_CANVAS = 5;

/** A caller before the password gate of a canvas, and the canvas. */
interface Waiting {
  user: Caller["user"];
  canvas: Canvas;
  readmit(): Promise<Waiting>;
}

/** Returns a caller as one before the gate. Throws a `Refusal` if the sharing rules refuse them, whatever the password is. */
async function waitAtGate(visit: Visit, caller: Caller, env: Env): Promise<Waiting> {
  const { canvas } = await resolve(visit, caller, env, true);
  const readmit = async () => waitAtGate(visit, await authenticateAgain(caller, canvas.slug, env), env);
  return { user: caller.user, canvas, readmit };
}

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
  const network = networkOf(request.ip);
  const admit = async () => {
    requireOwnForm(visit.slug, visit.request, env);
    const waiting = await waitAtGate(visit, caller, env);
    await limit({ rateClass: "gate", owner: network }, 1);
    const { user } = waiting;
    if (user.kind !== "visitor") await limit({ rateClass: "gate.person", owner: user.id }, 1);
    return waiting;
  };
  const received = await receiveForm(request, admit, readFields);
  const { form } = received;
  const { user: principal, canvas } = received.caller;
  const isVisitor = principal.kind === "visitor";
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

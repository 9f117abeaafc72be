import type { FastifyReply, FastifyRequest } from "fastify";
import { openGate } from "../canvases/gate.ts";
import type { Env } from "../env.ts";
import { readBody } from "../kit/body.ts";
import { one, type Query } from "../kit/page.ts";
import { refuse } from "../kit/refusal.ts";
import { resolve } from "../pipeline/resolve.ts";
import type { Viewer, Visit } from "../pipeline/visit.ts";
import { take } from "../rate-limit.ts";

/** Where a canvas's password is given, below the canvas's address. */
export const GATE = "__gate";

const MAX_FORM_BYTES = 8 * 1024;

/**
 * `POST {canvas}/__gate`: the right password sets `__service_gate` and leads to the page that was asked for (management API,
 * section 3). Who could not enter with the password either is refused as ever.
 */
export async function passGate(
  visit: Visit,
  viewer: Viewer,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const { canvas } = await resolve(visit, viewer, env, true);
  if (!(await take(`gate ${request.ip}`, env.config.gatePerMinute, reply, env))) refuse("RATE_LIMITED");
  const body = await readBody(request.raw, MAX_FORM_BYTES, () => refuse("INVALID_BODY", {}, 413));
  const form = new URLSearchParams(body.toString("utf8"));
  const password = form.get("password") ?? "";
  if (canvas.passwordHash !== null) {
    if (!(await env.passwords.verify(password, canvas.passwordHash))) {
      refuse("PASSWORD_REQUIRED", { message: "That is not the password." });
    }
    for (const cookie of openGate(canvas, viewer, env)) reply.header("set-cookie", cookie);
  }
  return reply
    .header("cache-control", "private, no-store")
    .redirect(pageBeyond(canvas.slug, request, env), 303);
}

/** The page of a canvas to which its gate leads: the one that was asked for, the first one for whatever leads elsewhere. */
export function pageBeyond(slug: string, request: FastifyRequest, { base }: Env): string {
  const canvasUrl = base.canvasUrl(slug);
  const url = URL.parse(`./${one(request.query as Query, "to") ?? ""}`, canvasUrl);
  return url?.href.startsWith(canvasUrl) === true ? url.href : canvasUrl;
}

import { ERRORS } from "@easel/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import { announceAccess } from "../canvases/access-events.ts";
import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { isCrossOrigin, requireSameOrigin } from "../http/csrf.ts";
import { handlerFor, METHODS } from "../http/methods.ts";
import type { Query } from "../http/query.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { blockEmbedding } from "../http/security-headers.ts";
import { identify } from "../identity/identify.ts";
import { reauthenticate } from "../identity/reauthenticate.ts";
import { record } from "../organisation/audit.ts";
import { challenge } from "../sign-in/challenge.ts";
import { admin } from "./admin/index.ts";
import { canvases } from "./canvases.ts";
import { capabilities } from "./capabilities.ts";
import { invites } from "./invites.ts";
import { me } from "./me.ts";
import { owner } from "./owner.ts";
import type { Act, Answer, Call, Handler, Routes } from "./route.ts";
import { sessions } from "./sessions.ts";
import { sharing } from "./sharing.ts";
import { teams } from "./teams.ts";
import { tokens } from "./tokens.ts";
import { usage } from "./usage.ts";
import { versions } from "./versions.ts";

/** Everything under `/api`. */
export const PARTS: Routes[] = [
  me,
  sessions,
  tokens,
  teams,
  canvases,
  versions,
  sharing,
  invites,
  owner,
  capabilities,
  usage,
  ...admin,
];

/** Who is asking, how often, and from which page: before any body is read. */
async function admit(request: FastifyRequest, reply: FastifyReply, env: Env): Promise<User> {
  blockEmbedding(reply);
  const user = await identify(request.raw, reply, env, { tokens: true });
  if (user === null) return challenge(request.raw, "api", env);
  const rateClass = isCrossOrigin(request.headers, env.base) ? "foreign" : "management";
  const bucket: Bucket = { rateClass, owner: user.id, part: "management" };
  if (!(await take(bucket, env.config.managementPerMinute, reply, env))) {
    const { status, message } = ERRORS.RATE_LIMITED;
    throw new Refusal(status, { error: "rate_limited", code: "RATE_LIMITED", message });
  }
  if (request.method !== "GET" && request.method !== "HEAD") requireSameOrigin(request.headers, env.base);
  if (user.guestOf !== null && request.routeOptions.url !== "/api/me") {
    refuse("PERMISSION_DENIED", { message: "Guests may use the canvas that they were invited to." });
  }
  return user;
}

/** Makes a change, lets open connections feel it, and keeps in the audit log that it was made. */
async function change({ act, perform }: Act, call: Call, request: FastifyRequest, env: Env): Promise<Answer> {
  const { user } = call;
  let canvas = (request.routeOptions.url?.includes("/canvases/:id") && call.params.id) || null;
  // Where the path names no canvas, its id may be a person's.
  const people = [user.id, call.params.id ?? ""];
  const again = async () => ({
    ...call,
    user: (await reauthenticate(user, request.raw, env)) ?? challenge(request.raw, "api", env),
  });
  let answer: Answer;
  try {
    answer = await perform(call, again, env);
    canvas = answer.audit?.canvas ?? canvas;
  } finally {
    // Also when it failed: then nobody knows how far it came. New requests know already, so nothing else is waited for.
    await announceAccess(canvas === null ? { people } : { canvas }, env);
  }
  const { target = null, details = null } = answer.audit ?? {};
  await record({ actor: user, act, canvas, target, address: request.ip, details }, env);
  return answer;
}

/** Mounts the management API: JSON for the dashboard, the command line and CI. */
export function mountManagement(app: FastifyInstance, env: Env): void {
  for (const routes of PARTS) {
    for (const [path, handlers] of Object.entries(routes)) {
      app.route({
        method: [...METHODS],
        url: `/api${path}`,
        async handler(request, reply) {
          const user = await admit(request, reply, env);
          const handler = handlerFor<Handler | Act>(handlers, request.method, reply);
          const params = request.params as Record<string, string>;
          const call = { user, params, query: request.query as Query, request: request.raw };
          const { status, body } =
            typeof handler === "function"
              ? await handler(call, env)
              : await change(handler, call, request, env);
          reply.code(status).header("cache-control", "private, no-store");
          return body === undefined ? reply.send() : body;
        },
      });
    }
  }
  app.route({
    method: [...METHODS],
    url: "/api/*",
    async handler(request, reply) {
      await admit(request, reply, env);
      refuse("NOT_FOUND");
    },
  });
}

import { ERRORS } from "@easel/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import { announceAccess } from "../canvases/access-events.ts";
import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { isCrossOrigin, requireSameOrigin } from "../http/csrf.ts";
import { handlerFor, METHODS, type Method } from "../http/methods.ts";
import type { Query } from "../http/query.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { blockEmbedding } from "../http/security-headers.ts";
import { identify } from "../identity/identify.ts";
import { reauthenticate } from "../identity/reauthenticate.ts";
import { writeAudit } from "../organisation/audit.ts";
import { sendStream } from "../pipeline/send-stream.ts";
import { challenge, challengeProgram } from "../sign-in/challenge.ts";
import type { Act, Result } from "./act.ts";
import { ACTS } from "./acts.ts";
import type { Call } from "./call.ts";
import { CALLERS } from "./callers.ts";
import { Download } from "./response-spec.ts";

/**
 * The rate limit of uploads is this many times the limit of other requests. With the default limit, uploading a bundle of 5,000 files takes
 * about a minute.
 */
const UPLOADS_FACTOR = 20;

/**
 * Authenticates a request, counts it against the rate limit and, unless it only reads, checks its origin. Runs before the body is read.
 * Throws 403 for a guest unless `guests` is true.
 */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
  { guests, uploads = false }: { guests: boolean; uploads?: boolean },
): Promise<User> {
  blockEmbedding(reply);
  const user = await identify(request.raw, reply, env, { tokens: true });
  if (user === null) return challengeProgram(request.raw, reply, env);
  const rateClass = isCrossOrigin(request.headers, env.base) ? "foreign" : "management";
  const bucket: Bucket = { rateClass, owner: user.id, part: uploads ? "uploads" : "management" };
  const perMinute = env.config.managementPerMinute * (uploads ? UPLOADS_FACTOR : 1);
  if (!(await take(bucket, perMinute, reply, env))) {
    const { status, message } = ERRORS.RATE_LIMITED;
    throw new Refusal(status, { error: "rate_limited", code: "RATE_LIMITED", message });
  }
  if (request.method !== "GET" && request.method !== "HEAD") requireSameOrigin(request.headers, env.base);
  if (user.guestOf !== null && !guests) {
    refuse("PERMISSION_DENIED", { message: "Guests may use only the canvas that they were invited to." });
  }
  return user;
}

/**
 * Performs an operation of the management API and records it in the audit log. If the operation can change who has access, announces this,
 * so that open connections are checked again.
 */
async function perform(act: Act, call: Call, request: FastifyRequest, env: Env): Promise<Result<unknown>> {
  const { user, params } = call;
  const reauthenticated = async () => ({
    ...call,
    user: (await reauthenticate(user, request.raw, env)) ?? challenge(request.raw, "api", env),
  });
  let canvas = act.affects === "canvas" ? params.id : undefined;
  let result: Result<unknown>;
  try {
    result = await act.perform(call, reauthenticated, env);
    canvas = result.audit?.canvas ?? canvas;
  } finally {
    // Changes of access are announced after a failure too, because parts of the act may have been done.
    if (act.affects !== undefined) {
      const people = [user.id, params.id ?? ""];
      await announceAccess(canvas === undefined ? { people } : { canvas }, env);
    }
  }
  if (act.audited) {
    const { target = null, details = null } = result.audit ?? {};
    const entry = { act: act.name, canvas: canvas ?? null, target, details };
    await writeAudit({ actor: user, address: request.ip, ...entry }, env);
  }
  return result;
}

type ActsByMethod = Partial<Record<Method, Act>>;

/** Returns all operations of the management API, grouped by path and then by HTTP method. */
const actsByPath = (): [path: string, acts: ActsByMethod][] =>
  [...Map.groupBy(ACTS, ({ path }) => path)].map(([path, acts]) => [
    path,
    Object.fromEntries(acts.map((act) => [act.method, act])),
  ]);

/** Registers the routes of the management API, a JSON API for dashboards, command lines and CI. */
export function mountManagement(app: FastifyInstance, env: Env): void {
  for (const [path, acts] of actsByPath()) {
    const guests = Object.values(acts).some(({ allow }) => CALLERS[allow].guests);
    const uploads = Object.values(acts).some((act) => act.uploads === true);
    app.route({
      method: [...METHODS],
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      async handler(request, reply) {
        const user = await admit(request, reply, env, { guests, uploads });
        const act = handlerFor(acts, request.method, reply);
        const params = request.params as Record<string, string>;
        const call = { user, params, query: request.query as Query, request: request.raw };
        const { body } = await perform(act, call, request, env);
        reply.code(act.response.status).header("cache-control", "private, no-store");
        if (!(body instanceof Download)) return body === undefined ? reply.send() : body;
        const { headers, stream } = body;
        const { type = "application/octet-stream" } = act.response;
        return sendStream(stream, { headers: { "content-type": type, ...headers } }, user.id, reply, env);
      },
    });
  }
  app.route({
    method: [...METHODS],
    url: "/api/*",
    async handler(request, reply) {
      await admit(request, reply, env, { guests: false });
      refuse("NOT_FOUND");
    },
  });
}

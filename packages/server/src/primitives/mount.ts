import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { handlerFor, METHODS } from "../http/methods.ts";
import type { Query } from "../http/query.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { requireDecodable } from "../http/undecodable-path.ts";
import { admit } from "../pipeline/index.ts";
import { limitResponses, SMALL_RESPONSE } from "../pipeline/limit-responses.ts";
import { preflight } from "../pipeline/preflight.ts";
import { readmit } from "../pipeline/readmit.ts";
import type { ApiVisit } from "../pipeline/visit.ts";
import { primitives } from "./index.ts";
import type { Call, Primitive } from "./primitive.ts";

/** Where the runtime API of a canvas is. */
export const ROOT = "/v1/c/:slug";

const paramsOf = (request: FastifyRequest) => request.params as Record<string, string>;

/** What the pipeline goes by; `path` is that of the route. */
export const visitOf = (request: FastifyRequest, answer: ApiVisit["answer"], path: string): ApiVisit => ({
  slug: paramsOf(request).slug ?? "",
  surface: "api",
  rateClass: path.startsWith("/ai") ? "ai" : "canvas",
  request: request.raw,
  address: request.ip,
  answer,
});

/** Mounts the runtime API: every primitive behind the pipeline, which runs before any body is read. */
export function mountRuntime(app: FastifyInstance, env: Env): void {
  for (const primitive of primitives) {
    for (const path of Object.keys(primitive.routes)) mountPath(app, env, primitive, path);
  }
  for (const url of [ROOT, `${ROOT}/*`]) {
    app.route({
      method: [...METHODS],
      url,
      async handler(request, reply) {
        await admit(visitOf(request, reply, `/${paramsOf(request)["*"] ?? ""}`), null, env);
        requireDecodable(request.originalUrl);
        refuse("NOT_FOUND");
      },
    });
    app.options(url, async (request, reply) => {
      preflight(visitOf(request, reply, ""), env);
      return reply.code(204).send();
    });
  }
}

/** Counts a large answer until it is sent. One that is read while it is sent is cut off where reading fails or access is lost. */
function sent(answer: string | Readable, { user }: Call, reply: FastifyReply, env: Env): string | Readable {
  if (typeof answer === "string") {
    if (answer.length > SMALL_RESPONSE) limitResponses(user.id, reply, env);
    return answer;
  }
  answer.on("error", (error) => {
    const level = error instanceof Refusal ? "debug" : "error";
    env.log[level]({ err: error, requestId: reply.request.id }, "an answer was cut off");
  });
  try {
    limitResponses(user.id, reply, env);
  } catch (refusal) {
    answer.destroy();
    throw refusal;
  }
  return answer;
}

function mountPath(app: FastifyInstance, env: Env, primitive: Primitive, path: string): void {
  const handlers = primitive.routes[path] ?? {};
  app.route({
    method: [...METHODS],
    url: ROOT + path,
    async handler(request, reply) {
      const admitted = await admit(visitOf(request, reply, path), primitive.capability, env);
      requireDecodable(request.originalUrl);
      const handler = handlerFor(handlers, request.method, reply);
      const query = request.query as Query;
      const { raw } = request;
      const call: Call = {
        ...admitted,
        params: paramsOf(request),
        query,
        request: raw,
        readmit: async () => ({ ...call, ...(await readmit(raw, admitted, primitive.capability, env)) }),
      };
      reply
        .header("content-type", "application/json; charset=utf-8")
        .header("cache-control", "private, no-store");
      const answer = await handler(call, env);
      if (typeof answer === "string" || answer instanceof Readable) return sent(answer, call, reply, env);
      reply.code(answer.status);
      return answer.body;
    },
  });
}

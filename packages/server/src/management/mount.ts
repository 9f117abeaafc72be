import type { FastifyInstance } from "fastify";
import type { Env } from "../env.ts";
import { clientSignal } from "../http/client-signal.ts";
import { handlerFor, METHODS, type Method } from "../http/methods.ts";
import type { Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { limitUnfinished } from "../pipeline/limit-unfinished.ts";
import type { Act } from "./act.ts";
import { ACTS } from "./acts.ts";
import { admit } from "./admit.ts";
import { CALLERS } from "./callers.ts";
import { perform } from "./perform.ts";
import { isDownload, sendDownload } from "./send-download.ts";

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
        const caller = await admit(request, reply, env, { guests, uploads });
        limitUnfinished(caller.user.id, request, reply, env);
        const act = handlerFor(acts, request.method, reply);
        const params = request.params as Record<string, string>;
        const signal = clientSignal(request.raw, reply.raw);
        const call = { ...caller, params, query: request.query as Query, request: request.raw, signal };
        reply.header("cache-control", "private, no-store");
        if (isDownload(act)) return sendDownload(act, call, request, reply, env);
        const { body } = await perform(act, call, request.ip, env);
        reply.code(act.response.status);
        return body === undefined ? reply.send() : body;
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

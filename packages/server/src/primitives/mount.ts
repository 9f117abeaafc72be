import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { apiPath, runtimePath } from "../http/canvas-path.ts";
import { refusalOf, sendRefusal } from "../http/errors.ts";
import { handlerFor, METHODS, type Method } from "../http/methods.ts";
import { requireDecodable } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { routeUpgrades } from "../http/sockets.ts";
import { RequestInput } from "../operations/request-input.ts";
import { admit } from "../pipeline/admit.ts";
import { exposeHeaders, preflight } from "../pipeline/isolate.ts";
import { optimistically, type Verify } from "../pipeline/optimistic.ts";
import { limitResponses, limitUnfinished, SMALL_RESPONSE } from "../pipeline/request-limits.ts";
import { sendStream } from "../pipeline/send-stream.ts";
import type { AdmitsVisitors, ApiVisit } from "../pipeline/visit.ts";
import { callerOf } from "./caller.ts";
import { logCall } from "./logged-calls.ts";
import { mountUpgrade } from "./mount-upgrade.ts";
import type { Answer, Primitive, RuntimeOperation } from "./primitive.ts";

/**
 * Sends the response that a handler returned. Only a limited number of large responses may be sent to a user at a time. A large response
 * counts until it has been sent.
 */
function respond(answer: Answer, userId: string, reply: FastifyReply, env: Env): unknown {
  if (typeof answer === "string") {
    if (answer.length > SMALL_RESPONSE) limitResponses(userId, reply, env);
    return answer;
  }
  if (answer instanceof Readable) return sendStream(answer, {}, userId, reply, env);
  const { status = 200, headers: changes = {}, body, exposed, sent } = answer;
  const headers: Record<string, string> = {};
  if (sent !== undefined) reply.raw.once("close", sent);
  if (exposed !== undefined) exposeHeaders(exposed, reply, env);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) reply.removeHeader(name);
    else headers[name] = value;
  }
  if (body instanceof Readable) return sendStream(body, { status, headers }, userId, reply, env);
  if (body !== null && body.length > SMALL_RESPONSE) limitResponses(userId, reply, env);
  if (body === null) reply.removeHeader("content-type");
  reply.code(status).headers(headers);
  return reply.send(body ?? undefined);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The pattern of a route of the runtime API, below the path of the canvas. */
    route?: string;
  }
}

const ROOT = apiPath(":slug");

/** The second path of the runtime API, below the management API, where requests name the canvas by its id (`ApiVisit.canvasId`). */
const SECOND_ROOT = runtimePath(":canvas");

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const paramsOf = (request: FastifyRequest) => request.params as Record<string, string>;

/** The primitive of all paths below a canvas that belong to no other primitive. Their requests are refused after the access checks. */
const UNKNOWN: Partial<Primitive> = { readable: true };

/**
 * Converts a Fastify request to the input of the pipeline, the checks that every request to the runtime API must pass. Keeps it as
 * `request.visit`.
 */
function visitOf(
  request: FastifyRequest,
  answer: ApiVisit["answer"],
  { rateClass = "canvas", readable = false, leavesCanvas = false, reportsErrors = false }: Partial<Primitive>,
  admitsVisitors?: AdmitsVisitors,
): ApiVisit {
  const visit: ApiVisit = {
    slug: paramsOf(request).slug ?? "",
    canvasId: paramsOf(request).canvas,
    route: request.routeOptions.config.route ?? "",
    surface: "api",
    rateClass,
    use: { reads: readable && ["GET", "HEAD"].includes(request.method), leavesCanvas, reportsErrors },
    request: request.raw,
    address: request.ip,
    answer,
    admitsVisitors,
  };
  request.visit = visit;
  return visit;
}

/**
 * Mounts the runtime API, at `/v1/c/{slug}` and a second time below the management API. The pipeline (authentication, rate limit, access checks) runs before the handlers of primitives
 * and before any body is read.
 */
export function mountRuntime(app: FastifyInstance, env: Env, primitives: readonly Primitive[]): void {
  const upgradeOf = routeUpgrades(app.server);
  app.decorateRequest("visit", null);
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = refusalOf(error, request, reply, env);
    logCall(request, refusal, env);
    return sendRefusal(refusal, request, reply, env);
  };
  const mount = (route: string, handler: Handle) => {
    const each = { method: [...METHODS], errorHandler, handler, config: { route } };
    app.route({ ...each, url: ROOT + route });
    app.route({ ...each, url: SECOND_ROOT + route });
  };
  for (const primitive of primitives) {
    for (const [path, operations] of operationsByPath(primitive)) {
      const plain = handle(primitive, operations, env);
      const upgrader = operations.GET?.upgrade;
      if (upgrader === undefined) {
        mount(routeOf(path), plain);
        continue;
      }
      const upgrade = mountUpgrade(app, env, primitive, upgrader);
      mount(routeOf(path), (request, reply) => {
        const pending = upgradeOf(request.raw);
        return pending === undefined
          ? plain(request, reply)
          : upgrade(request, reply, pending, visitOf(request, reply, primitive));
      });
    }
  }
  for (const route of ["", "/*"]) {
    mount(route, async (request, reply) => {
      const visit = visitOf(request, reply, UNKNOWN);
      await optimistically(env, async (current) => {
        await admit(visit, null, current);
        requireDecodable(request.originalUrl);
        refuse("NOT_FOUND");
      });
    });
    app.options(ROOT + route, async (request, reply) => {
      preflight(visitOf(request, reply, UNKNOWN), env);
      return reply.code(204).send();
    });
  }
}

/** The operations of a path by HTTP method. A path without operations responds with 404. */
type PathOperations = Partial<Record<Method | "HEAD", RuntimeOperation>>;

/** Returns the paths of a primitive, each with its operations. */
function operationsByPath({ operations, reserved = [] }: Primitive): [path: string, PathOperations][] {
  const paths = [...Map.groupBy(operations, ({ path }) => path)].map(
    ([path, found]): [string, PathOperations] => [
      path,
      Object.fromEntries(found.map((each) => [each.method, each])),
    ],
  );
  return [...reserved.map((path): [string, PathOperations] => [path, {}]), ...paths];
}

/** Returns the pattern of a path for the router: `/kv/:key` for `/kv/{key}`, and `*` for a last `{path}`. */
const routeOf = (path: string): string => path.replace(/\{path\}$/, "*").replace(/\{(\w+)\}/g, ":$1");

/**
 * What a request keeps when it is tried again. `isAgain`: whether it is. `isLimited`: whether it counts as one that waits for its body.
 */
interface Call {
  visit: ApiVisit;
  input: RequestInput;
  isAgain: boolean;
  isLimited: boolean;
}

/** Returns the function that takes a request through the checks of the pipeline and then performs the operation of its method. */
function handle(primitive: Primitive, operations: PathOperations, env: Env): Handle {
  const { capability, checksCapability, takesEveryMethod, admitsVisitors, optimistic } = primitive;
  const isEmpty = Object.keys(operations).length === 0;
  const gate = isEmpty || checksCapability ? null : capability;
  const every = takesEveryMethod ? operations.GET : undefined;
  const perform = async (
    call: Call,
    request: FastifyRequest,
    reply: FastifyReply,
    env: Env,
    verify: Verify,
  ) => {
    const { visit, input } = call;
    // Of a refusal that was not sent.
    if (call.isAgain) reply.removeHeader("retry-after");
    call.isAgain = true;
    const admitted = await admit(visit, gate, env);
    requireDecodable(request.originalUrl);
    if (isEmpty) refuse("NOT_FOUND");
    const operation =
      operations[request.method as Method | "HEAD"] ?? every ?? handlerFor(operations, request.method, reply);
    if (!call.isLimited) limitUnfinished(admitted.user.id, request, reply, env);
    call.isLimited = true;
    reply
      .header("content-type", "application/json; charset=utf-8")
      .header("cache-control", "private, no-store");
    const caller = callerOf(admitted, visit, gate, env);
    if (verify !== null && !(optimistic && operation.body?.slow !== true)) await verify();
    const answer = await operation.perform(caller, input, env);
    if (verify !== null) await verify();
    if (typeof answer === "object" && "status" in answer && (answer.status ?? 200) >= 400)
      logCall(request, { status: answer.status }, env);
    return respond(answer, admitted.user.id, reply, env);
  };
  return (request, reply) => {
    const visitors: AdmitsVisitors | undefined =
      admitsVisitors && ((canvas, env) => admitsVisitors(canvas, paramsOf(request), env));
    const visit = visitOf(request, reply, primitive, visitors);
    const call: Call = { visit, input: new RequestInput(request, reply), isAgain: false, isLimited: false };
    return optimistically(env, (current, verify) => perform(call, request, reply, current, verify));
  };
}

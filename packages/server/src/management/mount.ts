import { ERRORS } from "@easel/protocol/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Bucket } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { blockEmbedding, isCrossOrigin, requireSameOrigin } from "../http/cross-site.ts";
import { handlerFor, METHODS, type Method } from "../http/methods.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { identify } from "../identity/identify.ts";
import type { Input } from "../operations/operation.ts";
import { RequestInput } from "../operations/request-input.ts";
import { limitResponses, limitUnfinished, SMALL_RESPONSE } from "../pipeline/request-limits.ts";
import { sendStream } from "../pipeline/send-stream.ts";
import { challenge, challengeProgram } from "../sign-in/challenge.ts";
import type { Act, Download, StoredBytes } from "./act.ts";
import { ACTS } from "./acts.ts";
import { type ActCaller, actCaller, CALLERS } from "./callers.ts";

/**
 * The factor by which the rate limit of uploads is higher than the limit of other requests. With the default limit, a bundle can be uploaded
 * within a minute: its 250 MiB are at most 1,000 files of more than 256 KiB, which are sent one by one, and fewer requests with smaller ones.
 */
const UPLOADS_FACTOR = 5;

/**
 * Authenticates a request, counts it against the rate limit and, unless it only reads, checks its origin. Runs before the body is read.
 * Throws 403 for a guest unless `guests` is true. `page`: whether the request is for a page of the service, which accepts no access tokens.
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
  { guests, uploads = false, page = false }: { guests: boolean; uploads?: boolean; page?: boolean },
): Promise<ActCaller> {
  blockEmbedding(reply);
  const { user, ...proof } = await identify(request.raw, reply, env, { tokens: page ? undefined : "api" });
  if (user.kind === "visitor")
    return page ? challenge(request.raw, "page", env) : challengeProgram(request.raw, env);
  const rateClass = isCrossOrigin(request.headers, env.base) ? "foreign" : "management";
  const bucket: Bucket = { rateClass, owner: user.id, part: uploads ? "uploads" : "management" };
  const perMinute = env.config.managementPerMinute * (uploads ? UPLOADS_FACTOR : 1);
  if (!(await take(bucket, perMinute, reply, env))) {
    const { status, message } = ERRORS.RATE_LIMITED;
    throw new Refusal(status, { error: "rate_limited", code: "RATE_LIMITED", message });
  }
  if (request.method !== "GET" && request.method !== "HEAD") requireSameOrigin(request.headers, env.base);
  if (user.kind === "guest" && !guests) {
    refuse("PERMISSION_DENIED", { message: "Guests may use only the canvas that they were invited to." });
  }
  return actCaller({ user, ...proof }, request.ip, env);
}

/** Whether the response of an act is made while it is sent. */
const isDownload = (act: Act): act is Act<Download> => act.response.queued === true;

/** Whether the response of an act has bytes that are stored. */
const hasStoredBytes = (act: Act): act is Act<StoredBytes> =>
  act.response.type !== undefined && !isDownload(act);

/**
 * Performs an act that returns a download, and sends the download while it is made. A limited number of downloads of a person run at once,
 * and further ones wait. A download ends when its last byte has been made or when its client has gone. Throws 503 `UNAVAILABLE` if too many
 * downloads of the person wait.
 */
async function sendDownload(
  act: Act<Download>,
  caller: ActCaller,
  input: Input,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const { id } = caller.user;
  await env.downloads.run(
    id,
    async () => {
      const { headers, stream } = (await act.perform(caller, input, env)).body;
      const closed = new Promise((resolve) => stream.once("close", resolve));
      const type = act.response.type as string;
      sendStream(stream, { headers: { "content-type": type, ...headers } }, id, reply, env);
      await closed;
    },
    input.signal(),
  );
  return reply;
}

/**
 * Performs an act that returns stored bytes, and sends them. Nothing is made, so they do not wait for downloads. Like files of pages, large
 * ones are limited in number. Throws 429 `CONCURRENCY_LIMIT` if too many are being sent to the person.
 */
async function sendStoredBytes(
  act: Act<StoredBytes>,
  caller: ActCaller,
  input: Input,
  reply: FastifyReply,
  env: Env,
): Promise<FastifyReply> {
  const { status, headers, size, open } = (await act.perform(caller, input, env)).body;
  if (open !== null && size > SMALL_RESPONSE) limitResponses(caller.user.id, reply, env);
  reply.code(status).headers(headers);
  return open === null ? reply.send() : reply.send(await open());
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
        const caller = await admit(request, reply, env, { guests, uploads });
        limitUnfinished(caller.user.id, request, reply, env);
        const act = handlerFor(acts, request.method, reply);
        const input = new RequestInput(request, reply);
        reply.header("cache-control", "private, no-store");
        if (isDownload(act)) return sendDownload(act, caller, input, reply, env);
        if (hasStoredBytes(act)) return sendStoredBytes(act, caller, input, reply, env);
        const { body } = await act.perform(caller, input, env);
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

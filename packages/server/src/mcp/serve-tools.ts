import type { Readable as NodeReadable } from "node:stream";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { ERRORS } from "@easel/protocol/errors";
import type { Json } from "@easel/protocol/types";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Member } from "../access/principal.ts";
import { Work } from "../async/work.ts";
import type { Env } from "../env.ts";
import { hasArrived, LARGE_BYTES, parseJson, readBody, refuseLargeBody, ValueCount } from "../http/body.ts";
import { blockEmbedding, requireSameOrigin } from "../http/cross-site.ts";
import { refusalOf } from "../http/errors.ts";
import { take } from "../http/rate-limit.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import { clientSignal } from "../http/sockets.ts";
import { appOfToken, isJustRenewed, noteUse } from "../identity/apps.ts";
import type { StoredCredential } from "../identity/credential.ts";
import { identify } from "../identity/identify.ts";
import { acceptsTokens, bearerToken } from "../identity/tokens.ts";
import { NOT_ACCEPTED } from "../management/tokens.ts";
import { FIRST_SCOPE, toolChallenge } from "../oauth/resource.ts";
import { limitUnfinished } from "../pipeline/request-limits.ts";
import { callTool, type Requester } from "./call-tool.ts";
import { Docs } from "./docs.ts";
import type { Handler } from "./handler.ts";
import { answerPlainly, NO_DIALOGUE } from "./plain-message.ts";
import { createHandler } from "./protocol.ts";
import { includesScope } from "./scope-order.ts";
import { TOOLS } from "./tools.ts";

/** The maximum size of a request in bytes. The largest are deploys of files as text. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** The maximum number of JSON values in a request, which is several times what the longest list of edits has. */
const MAX_VALUES = 20_000;

/** Throws 401 with the challenge by which programs find where to sign in (RFC 9728, section 5.1; RFC 6750, section 3). */
function challengeTool(request: FastifyRequest, { base }: Env): never {
  const error = request.headers.authorization === undefined ? null : "invalid_token";
  const isForApi = bearerToken(request)?.toLowerCase().startsWith("easel_pat_") === true;
  const hint = `A personal access token is not for AI tools. Create one for them at ${base.origin}/tokens?for=mcp`;
  throw new Refusal(
    401,
    { error: ERRORS.NOT_AUTHENTICATED.message, ...(isForApi && { hint }) },
    { "www-authenticate": toolChallenge({ error, scope: FIRST_SCOPE }, base) },
  );
}

/**
 * Throws 403 `insufficient_scope` if a call needs a scope that the connected tool does not have, so that the program can ask its person for it
 * (RFC 6750, section 3.1). A program that cannot gets an error of the tool instead. So does one that has just renewed its token: clients of
 * before 2026 answer 403 by that, which gives them nothing more, and show their model a second 403 without its reason.
 */
async function requireScope(
  message: unknown,
  { app: { scope, stepsUp }, credential }: Pick<Requester, "app" | "credential">,
  env: Env,
): Promise<void> {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown };
  const tool = method === "tools/call" && TOOLS.find(({ name }) => name === Object(params).name);
  if (!tool || !stepsUp || includesScope(scope, tool.scope)) return;
  if (credential.kind === "token" && (await isJustRenewed(credential.id, env))) return;
  throw new Refusal(
    403,
    { code: "PERMISSION_DENIED", message: `\`${tool.name}\` needs the scope \`${tool.scope}\`.` },
    { "www-authenticate": toolChallenge({ error: "insufficient_scope", scope: tool.scope }, env.base) },
  );
}

/** The authenticated sender of a request to `/mcp`. */
interface Sender {
  member: Member;
  credential: StoredCredential;
  /** The turn of the event loop in which the token was valid. */
  turn: number;
}

/** Authenticates a request to `/mcp` by an access token of a connected tool. No cookie and no assertion of a proxy counts. */
async function authenticateTool(request: FastifyRequest, env: Env): Promise<Sender> {
  const turn = env.turns.current;
  const { user, credential } = await identify(request.raw, null, env, { tokens: "mcp" });
  if (user.kind !== "member" || credential?.kind !== "token") return challengeTool(request, env);
  return { member: user, credential, turn };
}

/** Throws 429 `RATE_LIMITED` if a person, with all of their programs, has reached the rate limit of the management API. */
async function limitCalls({ member }: Sender, reply: FastifyReply, env: Env): Promise<void> {
  const bucket = { rateClass: "management", owner: member.id, part: "management" } as const;
  if (!(await take(bucket, env.config.managementPerMinute, reply, env))) refuse("RATE_LIMITED");
}

/** Reads and parses the body of a request; undefined if there is none. A large one is parsed in a turn of the sender. */
async function bodyOf(request: FastifyRequest, sender: Sender, { turns }: Env): Promise<Json | undefined> {
  if (request.method !== "POST") return undefined;
  const bytes = await readBody(request.raw, MAX_BODY_BYTES, () => refuseLargeBody(MAX_BODY_BYTES), {
    turns,
    inspect: new ValueCount(MAX_VALUES).add,
  });
  const parse = () => parseJson(bytes);
  const body = await (bytes.length < LARGE_BYTES ? parse() : turns.alone(sender.member.id, parse));
  // The revision 2025-06-18 has removed batches. Each call counts as a request of the person, and a scope is asked for each.
  if (Array.isArray(body)) refuse("INVALID_BODY", { message: "Send one message in each request." });
  return body;
}

/** Sends a response of the handler of the protocol. */
async function send(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== "cache-control") reply.header(name, value);
  if (response.body === null) return reply.send();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  return reply.send(isStream ? readableOf(response.body as ReadableStream) : await response.text());
}

const readableOf = (body: ReadableStream): NodeReadable => Readable.fromWeb(body);

/** Matches the headers that the protocol defines. The handler of the protocol gets no others, such as the one with the token. */
const PROTOCOL_HEADER = /^(accept|content-type|mcp-.+)$/;

/**
 * Returns the handler of `/mcp`, where programs call the tools of the service (Model Context Protocol). If the service accepts no tokens, it
 * throws 404 `NOT_FOUND` with the reason.
 */
export function serveTools(env: Env): Handler {
  const docs = new Docs(env);
  let handler: Promise<McpHttpHandler> | undefined;
  /** Answers a message whose body is there. */
  const respond = async (
    request: FastifyRequest,
    reply: FastifyReply,
    sender: Sender,
    parsedBody: Json | undefined,
    signal: () => AbortSignal,
  ): Promise<FastifyReply> => {
    // The token or the account may have ended while the call waited for its body, or for its place.
    const isCurrent = sender.turn === env.turns.current;
    const { member, credential } = isCurrent ? sender : await authenticateTool(request, env);
    const app = (await appOfToken(credential.id, env)) ?? challengeTool(request, env);
    noteUse(app, env);
    const requester: Requester = {
      app,
      member,
      credential,
      address: request.ip,
      work: new Work(member.id, signal, env),
      refusalOf: (error) => refusalOf(error, request, reply, env),
    };
    await requireScope(parsedBody, requester, env);
    reply.header("cache-control", "private, no-store");
    const { method, headers } = request;
    const plain = answerPlainly(parsedBody, headers, (params) =>
      callTool(params, requester, NO_DIALOGUE, docs, env),
    );
    if (plain !== undefined) return reply.type("application/json").send(await plain);
    handler ??= createHandler(docs, env);
    const passed = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" && PROTOCOL_HEADER.test(name) ? [[name, value] as [string, string]] : [],
    );
    const asked = new Request(`${env.base.origin}/mcp`, {
      method,
      headers: passed,
      signal: signal(),
      ...(parsedBody !== undefined && { body: "" }),
    });
    const authInfo = {
      token: "",
      clientId: app.clientId,
      scopes: [app.scope],
      extra: { requester, user: member.id },
    };
    return send(await (await handler).fetch(asked, { authInfo, parsedBody }), reply);
  };
  return async (request, reply) => {
    if (!acceptsTokens(env.config)) refuse("NOT_FOUND", { message: NOT_ACCEPTED });
    blockEmbedding(reply);
    requireSameOrigin(request.headers, env.base);
    const sender = await authenticateTool(request, env);
    limitUnfinished(sender.member.id, request, reply, env);
    const signal = clientSignal(request.raw, reply.raw);
    const { id } = sender.member;
    const serve = async () => {
      await limitCalls(sender, reply, env);
      const body = await bodyOf(request, sender, env);
      const isOnly = env.calls.isIdle(id);
      const answer = async () => {
        if (!isOnly) await env.turns.give(id, signal);
        return respond(request, reply, sender, body, signal);
      };
      return env.calls.run(id, answer, env.calls.hasPlace(id) ? undefined : signal());
    };
    // A body that has arrived has at most what Node buffers. A later one is not read before its turn, and counts until its call is over, so that the
    // calls of one person do not fill the memory.
    return hasArrived(request.raw) ? serve() : env.lateBodies.run(id, serve, signal());
  };
}

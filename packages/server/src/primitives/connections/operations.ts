import { LIMITS } from "@easel/protocol/limits";
import { CONNECTION_METHODS, type ConnectionMethod } from "@easel/protocol/policy";
import { z } from "zod";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import type { Input } from "../../operations/operation.ts";
import type { Body } from "../../operations/operation-body.ts";
import { countCall } from "../../organisation/connections/calls.ts";
import { findGranted } from "../../organisation/connections/grants.ts";
import {
  type Answer,
  type FullAnswer,
  operation,
  type Primitive,
  type RuntimeCaller,
  type RuntimeOperation,
} from "../primitive.ts";
import { exchange, type UpstreamResponse, withDeadline } from "./exchange.ts";
import {
  beginCall,
  connectionsData,
  inPlace,
  type LimitedCall,
  METERED,
  startMetering,
  startResealing,
  takeRates,
} from "./limits.ts";
import { type UpstreamRequest, upstreamRequest } from "./upstream-request.ts";
import { ADDED, DEFAULTS, hasBody, keptHeaders } from "./upstream-response.ts";

const tooLarge = () =>
  refuse("REQUEST_TOO_LARGE", {
    message: `GET and HEAD have no body; other bodies have at most ${LIMITS.connectionBodyBytes.value} bytes.`,
  });

/**
 * Waits for a place, sends the request to the upstream, and returns the response for the page. The place is free when the response has been
 * read from the upstream. The call counts for its caller until the page has received the response, or until the call fails.
 */
async function send(
  call: LimitedCall,
  prepared: UpstreamRequest,
  body: Buffer,
  gone: AbortSignal,
  env: Env,
): Promise<FullAnswer> {
  await takeRates(call, prepared.limits, env);
  const end = beginCall(call, env);
  const request = { ...prepared, body: body.length === 0 ? null : body };
  let answer: FullAnswer | undefined;
  try {
    const response = await withDeadline((deadline) => {
      const task = () => exchange(request, { gone, deadline }, env);
      return inPlace(call, task, AbortSignal.any([gone, deadline]), env);
    });
    answer = answerWith(response, prepared.method, end);
    return answer;
  } finally {
    if (answer === undefined) end();
  }
}

/**
 * Converts the response of an upstream to the response for the page. `sent` is called when the client has received it or has
 * disconnected.
 */
function answerWith(
  { status, headers, body }: UpstreamResponse,
  method: string,
  sent: () => void,
): FullAnswer {
  const kept = keptHeaders(headers);
  return {
    status,
    headers: { ...DEFAULTS, ...kept, ...ADDED },
    exposed: Object.keys(kept),
    body: hasBody(method, status) ? body : null,
    sent,
  };
}

/** Returns the body of requests of a method, which is passed on as it is. GET and HEAD have none. */
const bodyOf = (method: ConnectionMethod): Body<Buffer, unknown> => {
  const none = ["GET", "HEAD"].includes(method);
  const most = none ? 0 : LIMITS.connectionBodyBytes.value;
  return {
    type: "*/*",
    schema: z.string(),
    optional: true,
    ...(none && { none }),
    async receive(given, _from, { turns }, use) {
      if ("value" in given) return use(() => given.value as Buffer);
      const bytes = await given.read(most, tooLarge, { turns });
      return use(() => bytes);
    },
  };
};

/** Performs an operation. Counts it as a call, unless it is rejected before its profile is known to be granted. */
async function measured(
  { perform }: RuntimeOperation,
  caller: RuntimeCaller,
  input: Input,
  env: Env,
): Promise<Answer> {
  const start = performance.now();
  const count = (outcome: string) => {
    const { profile = "" } = input.params;
    const ms = performance.now() - start;
    countCall({ canvasId: caller.canvas.id, profile, outcome, ms }, env);
  };
  try {
    const answer = (await perform(caller, input, env)) as { status: number };
    count(`${Math.floor(answer.status / 100)}xx`);
    return answer as Answer;
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined;
    if (code !== undefined && METERED.has(code)) count(input.signal().aborted ? "aborted" : code);
    throw error;
  }
}

const UPSTREAM = {
  type: "*/*",
  headers: {
    "X-Service-Connection-Response": "Always `upstream`: the response is that of the external API.",
  },
};

/** The responses of the external API. A key such as `2XX` stands for all statuses from 200 to 299. */
const RESPONSES = Object.fromEntries(
  ["2XX", "3XX", "4XX", "5XX"].map((status) => [
    status,
    { description: "The response of the external API, with its status and body.", ...UPSTREAM },
  ]),
);

/** Logs that an API has refused a call of which it has not got all headers, because it may have needed them. Only names are logged. */
function noteLeftOut(
  { canvasId, profile }: { canvasId: string; profile: string },
  leftOut: readonly string[],
  status: number,
  { log }: Env,
): void {
  if (leftOut.length > 0 && status >= 400 && status < 500)
    log.info(
      { canvas: canvasId, profile, status, leftOut },
      "an API has refused a call, of which headers were left out",
    );
}

/** Returns the operation that sends a request of a method. `where` says for the docs what `path` leads to. */
function sending(
  method: ConnectionMethod,
  path: "/connections/{profile}" | "/connections/{profile}/{path}",
  suffix: string,
  where: string,
): RuntimeOperation {
  const sent = operation({
    name: `connections.${method.toLowerCase()}${suffix}`,
    cost: "cheap",
    method,
    path,
    summary: `Sends a ${method} request to ${where} of an external API.`,
    details:
      "The query is passed on, and so is the body. A response with the header `X-Service-Connection-Response: upstream` comes from the external API, whatever its status; one without it is an error of this service.",
    responses: RESPONSES,
    errors: [
      "PERMISSION_DENIED",
      "DESTINATION_BLOCKED",
      "CONNECTION_NOT_GRANTED",
      "METHOD_NOT_ALLOWED",
      "REQUEST_TOO_LARGE",
      "CONNECTION_LIMIT",
      "CONNECTION_RATE_LIMIT",
      "UPSTREAM_UNAVAILABLE",
      "RESPONSE_TOO_LARGE",
      "CONNECTION_DISABLED",
      "CONNECTION_KEY_UNAVAILABLE",
      "UPSTREAM_TIMEOUT",
    ],
    may: (caller, { params, message }, env) => upstreamRequest(caller, params.profile, message, env),
    body: bodyOf(method),
    async run({ user, canvas }, { params: { profile }, subject: prepared, body, signal }, env) {
      const call = { userId: user.id, canvasId: canvas.id, profile };
      const answer = await send(call, prepared, body, signal(), env);
      noteLeftOut(call, prepared.leftOut, answer.status ?? 200, env);
      return answer;
    },
  });
  return { ...sent, perform: (caller, input, env) => measured(sent, caller, input, env) };
}

/** Connections: requests to external APIs that administrators have approved (specification 4.6). */
export const connections: Primitive = {
  capability: "connections",
  title: "Connections",
  summary:
    "Requests to external APIs that administrators have approved. `profile` is the name of the Connection; the path and the query are those of the request to the external API.",
  checksCapability: true,
  takesEveryMethod: true,
  data: connectionsData,
  start(env) {
    const resealed = startResealing(env);
    const stopMetering = startMetering(env);
    return async () => {
      await Promise.all([resealed, stopMetering()]);
    };
  },
  async admitsVisitors({ id }, { profile = "" }, env) {
    return (await findGranted(id, profile, env))?.grant.public === true;
  },
  operations: CONNECTION_METHODS.flatMap((method) => [
    sending(method, "/connections/{profile}", "-root", "the root"),
    sending(method, "/connections/{profile}/{path}", "", "a path"),
  ]),
};

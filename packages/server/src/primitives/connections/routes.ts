import type { Socket } from "node:net";
import { LIMITS } from "@easel/protocol/limits";
import type { Env } from "../../env.ts";
import { readBody } from "../../http/body.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { countCall } from "../../organisation/connections/calls.ts";
import { findGranted } from "../../organisation/connections/grants.ts";
import { type Answer, type Call, type FullAnswer, type Primitive, withBody } from "../primitive.ts";
import { exchange, type UpstreamResponse, withDeadline } from "./exchange.ts";
import {
  beginCall,
  connectionsData,
  inPlace,
  METERED,
  startMetering,
  startResealing,
  takeRates,
} from "./limits.ts";
import { connectionsOperations } from "./operations.ts";
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
async function run(call: Call, prepared: UpstreamRequest, body: Buffer, env: Env): Promise<Answer> {
  const caller = { userId: call.user.id, canvasId: call.canvas.id, profile: call.params.profile ?? "" };
  await takeRates(caller, prepared.limits, env);
  const end = beginCall(caller, env);
  const request = { ...prepared, body: body.length === 0 ? null : body };
  let answer: Answer | undefined;
  try {
    const response = await whileConnected(call.request.socket, (gone) =>
      withDeadline((deadline) => {
        const send = () => exchange(request, { gone, deadline }, env);
        return inPlace(caller, send, AbortSignal.any([gone, deadline]), env);
      }),
    );
    answer = answerWith(response, prepared.method, end);
    return answer;
  } finally {
    if (answer === undefined) end();
  }
}

/** Runs `work` with a signal that aborts when the client disconnects. */
async function whileConnected<Result>(
  socket: Socket,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  socket.once("close", abort);
  if (socket.destroyed) abort();
  try {
    return await work(gone.signal);
  } finally {
    socket.removeListener("close", abort);
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

const handler = withBody({
  may: upstreamRequest,
  read: ({ request }, { turns }) => {
    const most = ["GET", "HEAD"].includes(request.method ?? "") ? 0 : LIMITS.connectionBodyBytes.value;
    return readBody(request, most, tooLarge, { turns });
  },
  run,
});

/** Handles a request. Counts it as a call, unless it is rejected before its profile is known to be granted. */
async function measured(call: Call, env: Env): Promise<Answer> {
  const start = performance.now();
  const count = (outcome: string) =>
    countCall(
      {
        canvasId: call.canvas.id,
        profile: call.params.profile ?? "",
        outcome,
        ms: performance.now() - start,
      },
      env,
    );
  try {
    const answer = (await handler(call, env)) as { status: number };
    count(`${Math.floor(answer.status / 100)}xx`);
    return answer as Answer;
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined;
    if (code !== undefined && METERED.has(code)) count(call.request.socket.destroyed ? "aborted" : code);
    throw error;
  }
}

/** Connections: requests to external APIs that administrators have approved (specification 4.6). */
export const connections: Primitive = {
  capability: "connections",
  description: connectionsOperations,
  checksCapability: true,
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
  routes: {
    "/connections/:profile": { every: measured },
    "/connections/:profile/*": { every: measured },
  },
};

import type { ConnectionTest } from "@easel/protocol/management";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { isServiceOrigin, openHeaders, type Profile } from "../../organisation/connections/profiles.ts";
import { exchange, withDeadline } from "./exchange.ts";
import { beginCall, inPlace, takeRates } from "./limits.ts";
import { targetUrl, type UpstreamRequest, withProtected } from "./upstream-request.ts";

/** What stands for the canvas in the limits of test calls, which no canvas makes. */
const NO_CANVAS = "test";

/** The headers of a test call besides the protected ones. Some APIs refuse requests without a name. */
const HEADERS: UpstreamRequest["headers"] = [
  ["accept", "*/*"],
  ["user-agent", "Easel"],
];

/** The request that an administrator tries. */
export interface TestRequest {
  method: "HEAD" | "GET";
  /** The path and the query. */
  path: string;
}

/**
 * Sends a request to the server of a profile, like a call of a page: with the protected headers, to checked addresses only, within the same
 * limits of rate, time and size. Nothing of the response is returned but its status and size. The profile may be disabled, and its methods do
 * not matter, so that it can be tried before it is opened. A call that fails has the code that a page would get. Throws 429 if too many calls
 * are sent.
 */
export async function testConnection(
  profile: Profile,
  { method, path }: TestRequest,
  userId: string,
  gone: AbortSignal,
  env: Env,
): Promise<ConnectionTest> {
  const call = { userId, canvasId: NO_CANVAS, profile: profile.name };
  await takeRates(call, {}, env);
  const end = beginCall(call, env);
  const start = performance.now();
  const outcome = (fields: Omit<ConnectionTest, "ms">): ConnectionTest => ({
    ...fields,
    ms: Math.round(performance.now() - start),
  });
  try {
    const request = { ...requestOf(profile, method, path, env), body: null };
    const { status, body } = await withDeadline((deadline) => {
      const task = () => exchange(request, { gone, deadline }, env);
      return inPlace(call, task, AbortSignal.any([gone, deadline]), env);
    });
    return outcome({ status, code: null, message: null, bytes: body.length });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === undefined || error.code === "CONNECTION_LIMIT")
      throw error;
    return outcome({ status: null, code: error.code, message: error.message, bytes: 0 });
  } finally {
    end();
  }
}

/** Prepares the request. Throws a `Refusal` with the code that a page would get. */
function requestOf(profile: Profile, method: string, path: string, env: Env): UpstreamRequest {
  const { origin, sealed } = profile;
  const added = sealed === null ? {} : openHeaders(sealed, profile, env);
  if (added === null) return refuse("CONNECTION_KEY_UNAVAILABLE");
  if (isServiceOrigin(origin, env.base)) refuse("DESTINATION_BLOCKED");
  const url = targetUrl(path, origin);
  return {
    origin,
    url,
    method,
    methods: ["GET", "HEAD"],
    headers: withProtected(HEADERS, added),
    limits: {},
  };
}

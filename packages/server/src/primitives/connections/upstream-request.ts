import { LIMITS } from "@easel/protocol/limits";
import type { ConnectionLimits } from "@easel/protocol/management";
import { CONNECTION_METHODS, type ConnectionMethod } from "@easel/protocol/policy";
import { allowsMethod, inAudience, limitsFor } from "../../access/rights.ts";
import { entryOf, policyOf } from "../../canvases/policy.ts";
import type { Config } from "../../config/config.ts";
import type { Header } from "../../drivers/outbound/outbound.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { childTraceparent, traceOf } from "../../http/trace.ts";
import type { Message } from "../../operations/operation.ts";
import { findGranted, usabilityOf } from "../../organisation/connections/grants.ts";
import { isServiceOrigin } from "../../organisation/connections/profiles.ts";
import type { RuntimeCaller } from "../primitive.ts";
import { isRemoved } from "./removed-headers.ts";
import { isSent } from "./sent-headers.ts";

/** Returns the header names that the `Connection` header lists. Such headers concern only the connection to the service. */
const namedByConnection = ({ headers }: Pick<Message, "headers">): string[] =>
  (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());

/** The headers of W3C Trace Context. */
const TRACE_HEADERS = ["traceparent", "tracestate"];

/** The headers of a caller for the upstream, with names in lower case, and the names of those that pages may not send to it. */
export interface CallerHeaders {
  headers: Header[];
  leftOut: string[];
}

/**
 * Returns the headers of a request that are sent to the upstream: those that every page may send, and those with the names `added`. Throws 413
 * `REQUEST_TOO_LARGE` if the caller has sent too many or too long ones; what browsers and proxies add does not count. Headers by which a
 * sign-in proxy names the user are removed.
 */
export function callerHeaders(
  message: Pick<Message, "headers" | "rawHeaders">,
  added: readonly string[],
  config: Config,
): CallerHeaders {
  const { rawHeaders } = message;
  const identity = [config.proxyEmailHeader, config.proxyNameHeader, config.proxyJwtHeader];
  const removed = new Set([...namedByConnection(message), ...identity.map((name) => name.toLowerCase())]);
  const trace = traceOf(message);
  const headers: Header[] = [];
  const leftOut = new Set<string>();
  let count = 0;
  let bytes = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    const value = rawHeaders[index + 1] ?? "";
    if (isRemoved(name) || removed.has(name)) continue;
    // A trace goes on with a span of this service. Its state is nothing without the trace.
    if (TRACE_HEADERS.includes(name) && trace === null) continue;
    count += 1;
    bytes += name.length + value.length;
    if (!isSent(name, added)) leftOut.add(name);
    else headers.push([name, name === "traceparent" && trace !== null ? childTraceparent(trace) : value]);
  }
  const { connectionHeaders, connectionHeaderBytes } = LIMITS;
  if (count > connectionHeaders.value)
    refuse("REQUEST_TOO_LARGE", { message: `A request may have ${connectionHeaders.value} headers.` });
  if (bytes > connectionHeaderBytes.value)
    refuse("REQUEST_TOO_LARGE", {
      message: `Headers may have ${connectionHeaderBytes.value} bytes together.`,
    });
  return { headers, leftOut: [...leftOut] };
}

/**
 * Adds the protected headers of a profile to those of the caller. They replace headers of the caller with the same names, also with names
 * that an application reads as the same: `x-key` of the caller if `X_Key` is protected.
 */
export function withProtected(headers: Header[], added: Record<string, string>): Header[] {
  const names = new Set(Object.keys(added).map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, "-")));
  const kept = headers.filter(([name]) => !names.has(name));
  return [...kept, ["accept-encoding", "identity"], ...Object.entries(added)];
}

/** Matches the part of a URL after the slug: `/connections`, a slash, the profile name, the relative path with its slash, and the query. */
const REST = /^\/[^/?]*\/[^/?]*(\/[^?]*)?(\?.*)?$/s;

/**
 * Returns the path and query that the upstream gets: the part of the request URL after the profile name, still percent-encoded. Throws 413
 * `REQUEST_TOO_LARGE` if they are too long.
 */
export function targetPath(target: string): string {
  const [, path = "/", query = ""] = REST.exec(target) ?? [];
  const { value: most } = LIMITS.connectionUrlBytes;
  if (path.length - 1 + query.length > most)
    refuse("REQUEST_TOO_LARGE", { message: `The path and the query may have ${most} bytes together.` });
  return path + query;
}

/** Returns the URL of a path at an origin. Throws 403 `DESTINATION_BLOCKED` if the URL has another origin. */
export function targetUrl(path: string, origin: string): URL {
  const url = URL.parse(origin + path);
  if (url === null || url.origin !== origin) return refuse("DESTINATION_BLOCKED");
  return url;
}

/** A request through a Connection, without its body. */
export interface UpstreamRequest {
  /** The origin of the profile. */
  origin: string;
  url: URL;
  method: string;
  /** The methods that the caller may use, also after a redirect. */
  methods: readonly string[];
  headers: Header[];
  /** The limits of the grant for the caller. Those of paths apply after a redirect, too. */
  limits: ConnectionLimits;
}

/** A request of a caller, with the names of their headers that are not sent. */
type CallerRequest = UpstreamRequest & Pick<CallerHeaders, "leftOut">;

/** Whether limits allow requests to this URL. */
export const allowsPath = ({ paths }: ConnectionLimits, { pathname }: URL): boolean =>
  paths?.includes(pathname) ?? true;

/**
 * Checks whether the caller may send the request, and prepares it for the upstream. The first check that fails decides the error. The order
 * is: capability, audience, method in the policy, grant, whether it admits guests and visitors, whether the profile can be used, method in
 * the profile and the limits of the grant, then path and headers.
 */
export async function upstreamRequest(
  caller: RuntimeCaller,
  profile: string,
  message: Message,
  env: Env,
): Promise<CallerRequest> {
  const { canvas, role } = caller;
  const method = message.method as ConnectionMethod;
  caller.requireCapability("connections");
  const entry = entryOf((await policyOf(canvas, env)).connections, profile);
  if (!inAudience(entry, canvas.capabilities.connectionsAudience, role)) refuse("PERMISSION_DENIED");
  if (!allowsMethod(entry, method))
    refuse("PERMISSION_DENIED", { message: `The policy of this canvas does not allow ${method} here.` });
  if (!CONNECTION_METHODS.includes(method)) refuseMethod(CONNECTION_METHODS);
  const granted = (await findGranted(canvas.id, profile, env)) ?? refuse("CONNECTION_NOT_GRANTED");
  const limits =
    limitsFor(granted.grant, caller) ??
    refuse("PERMISSION_DENIED", { message: "This Connection is not open to guests." });
  const added = usabilityOf(granted, env);
  if (typeof added === "string") refuse(added);
  const methods = granted.methods.filter(
    (each) => allowsMethod(entry, each) && (limits.methods?.includes(each) ?? true),
  );
  if (!methods.includes(method)) refuseMethod(methods);
  const url = targetUrl(targetPath(message.target), granted.origin);
  if (!allowsPath(limits, url))
    refuse("PERMISSION_DENIED", {
      message: `This Connection is open to guests and visitors for other paths only.`,
    });
  const { headers: sent, leftOut } = callerHeaders(message, granted.requestHeaders, env.config);
  const headers = withProtected(sent, added);
  if (isServiceOrigin(granted.origin, env.base)) refuse("DESTINATION_BLOCKED");
  return { origin: granted.origin, url, method, methods, headers, leftOut, limits };
}

const refuseMethod = (methods: readonly string[]): never =>
  refuse("METHOD_NOT_ALLOWED", {}, undefined, { allow: methods.join(", ") });

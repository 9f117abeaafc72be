import type { ConnectionLimits } from "@easel/protocol/management";
import { CONNECTION_METHODS, type ConnectionMethod } from "@easel/protocol/policy";
import { allowsMethod, inAudience, limitsFor } from "../../access/connection-rights.ts";
import { entryOf } from "../../canvases/entry-of.ts";
import { policyOf } from "../../canvases/policy.ts";
import type { Header } from "../../drivers/outbound/outbound.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { findGranted } from "../../organisation/connections/grants.ts";
import { isOwnOrigin } from "../../organisation/connections/origin.ts";
import { usabilityOf } from "../../organisation/connections/usable.ts";
import type { Call } from "../primitive.ts";
import { callerHeaders, withProtected } from "./caller-headers.ts";
import { targetPath, targetUrl } from "./target-path.ts";

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

/** Whether limits allow requests to this URL. */
export const allowsPath = ({ paths }: ConnectionLimits, { pathname }: URL): boolean =>
  paths?.includes(pathname) ?? true;

/**
 * Checks whether the caller may send the request, and prepares it for the upstream. The first check that fails decides the error. The order
 * is: capability, audience, method in the policy, grant, whether it admits guests and visitors, whether the profile can be used, method in
 * the profile and the limits of the grant, then path and headers.
 */
export async function upstreamRequest(call: Call, env: Env): Promise<UpstreamRequest> {
  const { canvas, role, request, params } = call;
  const { profile = "" } = params;
  const method = request.method as ConnectionMethod;
  call.requireCapability("connections");
  const entry = entryOf((await policyOf(canvas, env)).connections, profile);
  if (!inAudience(entry, canvas.capabilities.connectionsAudience, role)) refuse("PERMISSION_DENIED");
  if (!allowsMethod(entry, method))
    refuse("PERMISSION_DENIED", { message: `The policy of this canvas does not allow ${method} here.` });
  if (!CONNECTION_METHODS.includes(method)) refuseMethod(CONNECTION_METHODS);
  const granted = (await findGranted(canvas.id, profile, env)) ?? refuse("CONNECTION_NOT_GRANTED");
  const limits =
    limitsFor(granted.grant, call) ??
    refuse("PERMISSION_DENIED", { message: "This Connection is not open to guests." });
  const added = usabilityOf(granted, env);
  if (typeof added === "string") refuse(added);
  const methods = granted.methods.filter(
    (each) => allowsMethod(entry, each) && (limits.methods?.includes(each) ?? true),
  );
  if (!methods.includes(method)) refuseMethod(methods);
  const url = targetUrl(targetPath(request.url ?? ""), granted.origin);
  if (!allowsPath(limits, url))
    refuse("PERMISSION_DENIED", {
      message: `This Connection is open to guests and visitors for other paths only.`,
    });
  const headers = withProtected(callerHeaders(request, env.config), added);
  if (isOwnOrigin(granted.origin, env.base)) refuse("DESTINATION_BLOCKED");
  return { origin: granted.origin, url, method, methods, headers, limits };
}

const refuseMethod = (methods: readonly string[]): never =>
  refuse("METHOD_NOT_ALLOWED", {}, undefined, { allow: methods.join(", ") });

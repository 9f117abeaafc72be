import type { Restriction } from "./principal.ts";

/** The properties of a request to the runtime API on which the restrictions of access tokens depend. */
export interface RuntimeUse {
  /** Whether the request only reads what the service stores. False for WebSockets, AI and Connections. */
  reads: boolean;
  /** Whether the request can also list, create or change other canvases than the one in its path. */
  leavesCanvas: boolean;
}

/** The properties of an act of the management API on which the restrictions of access tokens depend. */
export interface ManagementUse {
  /** Whether the act only reads. */
  reads: boolean;
  /** Whether tokens with the scope `deploy` may perform the act. */
  deploys: boolean;
}

/**
 * Returns why a restricted access token may not send a request to the runtime API, as a sentence for the client. Returns null if it may
 * (decision 040). `canvasId` is null if there is no canvas at the path.
 */
export function runtimeObjection(
  { scope, canvasId: only }: Restriction,
  canvasId: string | null,
  { reads, leavesCanvas }: RuntimeUse,
): string | null {
  if (scope === "deploy") return "This access token can only deploy.";
  if (scope === "read" && !reads) return "This access token can only read.";
  if (only === null) return null;
  if (only !== canvasId) return "This access token is for another canvas.";
  return leavesCanvas ? "This access token is for one canvas." : null;
}

/**
 * Returns why the scope of a restricted access token does not include an act of the management API, as a sentence for the client. Returns
 * null if the scope includes the act.
 */
export function scopeObjection({ scope }: Restriction, { reads, deploys }: ManagementUse): string | null {
  if (scope === "full") return null;
  if (scope === "deploy") return deploys ? null : "This access token can only deploy.";
  return reads ? null : "This access token can only read.";
}

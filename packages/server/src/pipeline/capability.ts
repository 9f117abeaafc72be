import type { Capability } from "@easel/protocol/capabilities";
import { hintFor, isDisabledReason, type UnavailableReason } from "../access/capability-gate.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import { whyUnavailable } from "../canvases/capabilities.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

/**
 * Step 5 of the pipeline: throws a Refusal unless the capability can be used on the canvas (specification 4.1). Returns a promise only if
 * the check reads more from the database than the canvas, for example its granted connections.
 */
export function requireCapability(canvas: Canvas, capability: Capability, env: Env): void | Promise<void> {
  const reason = whyUnavailable(capability, canvas, env);
  if (reason instanceof Promise) return reason.then((found) => requireNone(found, canvas, capability));
  requireNone(reason, canvas, capability);
}

function requireNone(
  reason: UnavailableReason | null,
  { capabilities }: Canvas,
  capability: Capability,
): void {
  if (reason === null) return;
  if (!isDisabledReason(reason)) refuse(reason);
  const hint = hintFor(capability, reason);
  const { backendEnabled } = capabilities;
  refuse("CAPABILITY_DISABLED", { message: hint, capability, backendEnabled, reason, hint });
}

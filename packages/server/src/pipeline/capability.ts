import type { Capability } from "@easel/protocol/capabilities";
import { hintFor } from "../access/capability-gate.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import { whyOff } from "../canvases/capabilities.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";

/** Step 5 of the pipeline: throws 403 `CAPABILITY_DISABLED` unless the capability is on (specification 4.1). */
export function requireCapability(canvas: Canvas, capability: Capability, env: Env): void {
  const reason = whyOff(capability, canvas, env);
  if (reason === null) return;
  const hint = hintFor(capability, reason, env.isDev);
  const { backendEnabled } = canvas.capabilities;
  refuse("CAPABILITY_DISABLED", { capability, backendEnabled, reason, hint });
}

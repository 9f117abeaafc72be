import type { Capability } from "@easel/protocol/capabilities";
import { disabledReason, hintFor } from "../access/capabilities.ts";
import type { Canvas } from "../canvases/entry.ts";
import { deploymentOf } from "../config.ts";
import type { Env } from "../env.ts";
import { refuse } from "../kit/refusal.ts";

/** Step 5: is this switched on (specification 4.1). */
export function requireCapability(canvas: Canvas, capability: Capability, { config }: Env): void {
  const reason = disabledReason(capability, canvas.capabilities, deploymentOf(config));
  if (reason === null) return;
  const hint = hintFor(capability, reason);
  const { backendEnabled } = canvas.capabilities;
  refuse("CAPABILITY_DISABLED", { message: hint, capability, backendEnabled, reason, hint });
}

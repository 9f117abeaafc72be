import type { Capability } from "@easel/protocol/capabilities";
import type { Env } from "../env.ts";
import { readmit, requireCapability } from "../pipeline/admit.ts";
import type { Admitted, ApiVisit } from "../pipeline/visit.ts";
import type { RuntimeCaller } from "./primitive.ts";

/**
 * Returns the caller of operations whom the pipeline has admitted to a canvas. `visit` is how they came. `gate` is the capability that must
 * still be on when access is checked again, or null if the operations check that.
 */
export function callerOf(
  admitted: Admitted,
  visit: Pick<ApiVisit, "use" | "admitsVisitors" | "address">,
  gate: Capability | null,
  env: Env,
): RuntimeCaller {
  const { user, credential, passes, canvas, role } = admitted;
  const { use, admitsVisitors, address } = visit;
  return {
    user,
    credential,
    passes,
    canvas,
    role,
    address,
    requireCapability: (further) => requireCapability(canvas, further, env),
    readmit: async () =>
      callerOf(await readmit({ ...admitted, use, admitsVisitors }, gate, env), visit, gate, env),
  };
}

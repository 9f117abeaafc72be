import type { Act } from "../../management/act.ts";
import { CALLERS, requireTokenScope } from "../../management/callers.ts";
import type { Performer } from "../tool-call.ts";

/** Throws what an act on a canvas would throw for a caller who may not perform it, so that nobody is asked in vain. */
export async function requireMay(
  act: Pick<Act, "allow" | "method" | "path" | "deploys">,
  id: string,
  { caller, env }: Performer,
): Promise<void> {
  const call = { ...caller, params: { id } };
  requireTokenScope(call, act);
  await CALLERS[act.allow].authorize(call, env, act.method !== "GET");
}

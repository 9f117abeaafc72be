import type { Env } from "../../env.ts";
import type { Act } from "../../management/act.ts";
import { type ActCaller, CALLERS, requireTokenScope } from "../../management/callers.ts";

/** Throws what an act on a canvas would throw for a caller who may not perform it, so that nobody is asked in vain. */
export async function requireMay(
  act: Pick<Act, "allow" | "method" | "path" | "deploys">,
  id: string,
  { caller, env }: { caller: ActCaller; env: Env },
): Promise<void> {
  const call = { ...caller, params: { id } };
  requireTokenScope(call, act);
  await CALLERS[act.allow].authorize(call, env, act.method !== "GET");
}

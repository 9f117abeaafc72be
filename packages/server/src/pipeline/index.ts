import type { Capability } from "@easel/protocol/capabilities";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { blockEmbedding } from "../http/security-headers.ts";
import { authenticate } from "./authenticate.ts";
import { requireCapability } from "./capability.ts";
import { setCorsHeaders } from "./cors.ts";
import { isolate, startedBy } from "./isolate.ts";
import { limitRequests } from "./limit-requests.ts";
import { enterCanvas, lookUp } from "./resolve.ts";
import type { Admitted, ApiVisit } from "./visit.ts";

/**
 * The five steps of every `/v1/c/{slug}` request, in order (specification 4.1). A step that says no throws a Refusal.
 * `capability` is null for a path that nothing is at.
 */
export async function admit(visit: ApiVisit, capability: Capability | null, env: Env): Promise<Admitted> {
  blockEmbedding(visit.answer);
  setCorsHeaders(visit, env); // so that the page can read refusals, too
  const principal = await authenticate(visit, env); // 1. who is asking
  const page = startedBy(visit, env);
  const found = await lookUp(visit.slug, principal, env);
  await limitRequests(visit, principal, page, found, env); // 2. how often
  const { canvas, role } = enterCanvas(found, visit, principal, env); // 3. may they in
  isolate(page); // 4. from which page
  const gate = capability === null ? undefined : requireCapability(canvas, capability, env); // 5. is this switched on
  if (gate !== undefined) await gate;
  return { user: principal ?? refuse("STATIC_ONLY"), canvas, role };
}

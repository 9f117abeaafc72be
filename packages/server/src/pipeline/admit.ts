import type { Capability } from "@easel/protocol/capabilities";
import { anonymousUser } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { networkOf } from "../http/network.ts";
import { allowEmbedding, blockEmbedding } from "../http/security-headers.ts";
import { authenticate } from "./authenticate.ts";
import { requireCapability } from "./capability.ts";
import { setCorsHeaders } from "./cors.ts";
import { isolate, startedBy } from "./isolate.ts";
import { limitRequests } from "./limit-requests.ts";
import { enterCanvas, isOpenToVisitors, lookUp, refuseVisitor } from "./resolve.ts";
import type { Admitted, ApiVisit } from "./visit.ts";

/**
 * Runs the five steps of the pipeline for a request to `/v1/c/{slug}`, in order (specification 4.1). Throws a `Refusal` if a step rejects
 * the request. Step 5 checks that `capability` is on; if `capability` is null, the step is left out.
 */
export async function admit(visit: ApiVisit, capability: Capability | null, env: Env): Promise<Admitted> {
  blockEmbedding(visit.answer);
  setCorsHeaders(visit, env); // before step 1, so that the page can read errors, too
  const caller = await authenticate(visit, env); // 1. who the caller is
  const { user: principal, credential, passes } = caller;
  visit.principal = principal;
  const page = startedBy(visit, env);
  if (page === "own" && env.base.urlMode === "subdomain") allowEmbedding(visit.answer);
  const found = await lookUp(visit.slug, principal, env);
  visit.canvas = found;
  await limitRequests(visit, principal, page, found, env); // 2. the rate limit
  const openToVisitors =
    visit.admitsVisitors !== undefined && (await isOpenToVisitors(found, visit.admitsVisitors));
  const { surface, use } = visit;
  const { canvas, role } = enterCanvas(found, { surface, use, openToVisitors }, caller, env); // 3. access to the canvas
  isolate(page); // 4. the page that sent the request
  if (capability !== null) requireCapability(canvas, capability, env); // 5. whether the capability is on
  const user =
    principal ?? (openToVisitors ? anonymousUser(networkOf(visit.address)) : refuseVisitor(principal));
  return { user, credential, passes, canvas, role };
}

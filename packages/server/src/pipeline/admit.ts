import type { Capability } from "@easel/protocol/capabilities";
import { hintFor } from "../access/ladder.ts";
import { type RuntimeUse, visitor } from "../access/principal.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import { whyOff } from "../canvases/capabilities.ts";
import type { Env } from "../env.ts";
import { allowEmbedding, blockEmbedding } from "../http/cross-site.ts";
import { refuse } from "../http/refusal.ts";
import { networkOf } from "../http/request-headers.ts";
import { authenticate, authenticateAgain } from "./authenticate.ts";
import { isolate, setCorsHeaders, startedBy } from "./isolate.ts";
import { limitRequests } from "./request-limits.ts";
import { enterCanvas, isOpenToVisitors, lookUp, refuseVisitor, slugOf } from "./resolve.ts";
import type { AdmitsVisitors, Admitted, ApiVisit } from "./visit.ts";

/** Step 5 of the pipeline: throws 403 `CAPABILITY_DISABLED` unless the capability is on (specification 4.1). */
export function requireCapability(canvas: Canvas, capability: Capability, env: Env): void {
  const reason = whyOff(capability, canvas, env);
  if (reason === null) return;
  const hint = hintFor(capability, reason, env.isDev);
  const { backendEnabled } = canvas.capabilities;
  refuse("CAPABILITY_DISABLED", { capability, backendEnabled, reason, hint });
}

/**
 * Runs the five steps of the pipeline for a request to the runtime API, in order (specification 4.1). Throws a `Refusal` if a step rejects
 * the request. Step 5 checks that `capability` is on; if `capability` is null, the step is left out.
 */
export async function admit(visit: ApiVisit, capability: Capability | null, env: Env): Promise<Admitted> {
  blockEmbedding(visit.answer);
  const forPages = visit.canvasId === undefined;
  if (forPages) setCorsHeaders(visit, env); // before step 1, so that the page can read errors, too
  if (visit.canvasId !== undefined) visit.slug = await slugOf(visit.canvasId, env);
  const caller = await authenticate(visit, env); // 1. who the caller is
  const { user: principal, credential, passes } = caller;
  visit.principal = principal;
  const page = startedBy(visit, credential?.kind === "token", env);
  if (page === "canvas" && env.base.urlMode === "subdomain" && forPages) allowEmbedding(visit.answer);
  const found = await lookUp(visit.slug, principal, env);
  visit.canvas = found;
  await limitRequests(visit, principal, page, found, env); // 2. the rate limit
  const openToVisitors =
    visit.admitsVisitors !== undefined && (await isOpenToVisitors(found, visit.admitsVisitors, env));
  const { surface, use } = visit;
  const { canvas, role } = enterCanvas(found, { surface, use, openToVisitors }, caller, env); // 3. access to the canvas
  if (canvas.id !== (visit.canvasId ?? canvas.id)) refuse("NOT_FOUND");
  isolate(page); // 4. the page that sent the request
  if (capability !== null) requireCapability(canvas, capability, env); // 5. whether the capability is on
  if (principal.kind === "visitor" && !openToVisitors) refuseVisitor(principal);
  const user = principal.kind === "visitor" ? visitor(networkOf(visit.address)) : principal;
  return { user, credential, passes, canvas, role };
}

/** The caller and the canvas of a request that was admitted before, and what the request does. */
export interface Admission extends Omit<Admitted, "canvas" | "role"> {
  canvas: Pick<Canvas, "id" | "slug">;
  use: RuntimeUse;
  admitsVisitors?: AdmitsVisitors | undefined;
}

/**
 * Repeats the steps of the pipeline whose outcome can change after a request was admitted: authentication, access to the canvas, and the
 * check that the capability is on. If `capability` is null, leaves out that check. Called after a body has arrived late, while a list is
 * streamed, and for open WebSockets (decision 020).
 */
export async function readmit(
  admission: Admission,
  capability: Capability | null,
  env: Env,
): Promise<Admitted> {
  const {
    canvas: { id, slug },
    use,
    admitsVisitors,
  } = admission;
  const { user, credential, passes } = await authenticateAgain(admission, slug, env);
  const found = await lookUp(slug, user, env);
  const openToVisitors = admitsVisitors !== undefined && (await isOpenToVisitors(found, admitsVisitors, env));
  const entering = { surface: "api", openToVisitors, use } as const;
  const { canvas, role } = enterCanvas(found, entering, { user, passes }, env);
  // The slug may belong to another canvas by now.
  if (canvas.id !== id) refuse("NOT_FOUND");
  if (capability !== null) requireCapability(canvas, capability, env);
  return { user, credential, passes, canvas, role };
}

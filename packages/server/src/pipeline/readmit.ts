import type { Capability } from "@easel/protocol/capabilities";
import { isAnonymous, type User } from "../access/principal.ts";
import type { RuntimeUse } from "../access/restriction.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { type Identified, reauthenticate } from "../identity/reauthenticate.ts";
import { challenge } from "../sign-in/challenge.ts";
import { opensToAnonymous } from "./authenticate.ts";
import { requireCapability } from "./capability.ts";
import { enterCanvas, isOpenToVisitors, lookUp } from "./resolve.ts";
import type { AdmitsVisitors, Admitted } from "./visit.ts";

/** The caller and the canvas of a request that was admitted before. */
interface Caller {
  user: User;
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
  request: Identified,
  { user, canvas: { id, slug }, use, admitsVisitors }: Caller,
  capability: Capability | null,
  env: Env,
): Promise<Admitted> {
  const now = isAnonymous(user) ? null : await reauthenticate(user, request, env);
  const isKnown = now !== null || (isAnonymous(user) && (await opensToAnonymous(slug, env)));
  if (!isKnown) challenge(request, "api", env);
  const found = await lookUp(slug, now, env);
  const openToVisitors = admitsVisitors !== undefined && (await isOpenToVisitors(found, admitsVisitors));
  const { canvas, role } = enterCanvas(found, { surface: "api", request, openToVisitors, use }, now, env);
  // The slug may belong to another canvas by now.
  if (canvas.id !== id) refuse("NOT_FOUND");
  if (capability !== null) requireCapability(canvas, capability, env);
  return { user: now ?? user, canvas, role };
}

import type { Capability } from "@easel/protocol/capabilities";
import { isAnonymous } from "../access/principal.ts";
import type { RuntimeUse } from "../access/restriction.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { reauthenticate } from "../identity/identify.ts";
import { challengeAgain } from "../sign-in/challenge.ts";
import { opensToAnonymous } from "./authenticate.ts";
import { requireCapability } from "./capability.ts";
import { enterCanvas, isOpenToVisitors, lookUp } from "./resolve.ts";
import type { AdmitsVisitors, Admitted } from "./visit.ts";

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
    user,
    credential,
    passes,
    canvas: { id, slug },
    use,
    admitsVisitors,
  } = admission;
  const now = await reauthenticate(admission, env);
  const isKnown = now !== null || (isAnonymous(user) && (await opensToAnonymous(slug, env)));
  if (!isKnown) challengeAgain(admission, env);
  const principal = now?.user ?? null;
  const found = await lookUp(slug, principal, env);
  const openToVisitors = admitsVisitors !== undefined && (await isOpenToVisitors(found, admitsVisitors));
  const entering = { surface: "api", openToVisitors, use } as const;
  const { canvas, role } = enterCanvas(found, entering, { user: principal, passes }, env);
  // The slug may belong to another canvas by now.
  if (canvas.id !== id) refuse("NOT_FOUND");
  if (capability !== null) requireCapability(canvas, capability, env);
  return { user: principal ?? user, credential: now?.credential ?? credential, passes, canvas, role };
}

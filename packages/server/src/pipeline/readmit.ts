import type { Capability } from "@easel/protocol/capabilities";
import type { User } from "../access/principal.ts";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { type Identified, reauthenticate } from "../identity/reauthenticate.ts";
import { challenge } from "../sign-in/challenge.ts";
import { requireCapability } from "./capability.ts";
import { resolve } from "./resolve.ts";
import type { Admitted } from "./visit.ts";

/**
 * Repeats the steps of the pipeline whose outcome can change after a request was admitted: authentication, access to the canvas, and the
 * check that the capability is on. If `capability` is null, leaves out that check. Called after a body has arrived late, while a list is
 * streamed, and for open WebSockets.
 */
export async function readmit(
  request: Identified,
  { user, canvas: { id, slug } }: { user: User; canvas: Pick<Canvas, "id" | "slug"> },
  capability: Capability | null,
  env: Env,
): Promise<Admitted> {
  const now = (await reauthenticate(user, request, env)) ?? challenge(request, "api", env);
  const { canvas, role } = await resolve({ slug, surface: "api", request }, now, env);
  // The slug may belong to another canvas by now.
  if (canvas.id !== id) refuse("NOT_FOUND");
  const gate = capability === null ? undefined : requireCapability(canvas, capability, env);
  if (gate !== undefined) await gate;
  return { user: now, canvas, role };
}

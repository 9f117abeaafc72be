import type { CanvasRole } from "@easel/protocol/types";
import { enter } from "../access/ladder.ts";
import { isMember, type Principal } from "../access/principal.ts";
import { type Canvas, findForAccess } from "../canvases/access-lookup.ts";
import { gateIsOpen } from "../canvases/gate-cookie.ts";
import type { Env } from "../env.ts";
import type { Headed } from "../http/headed.ts";
import { refuse } from "../http/refusal.ts";
import type { Visit } from "./visit.ts";

/** A canvas, and the role with which the caller has entered it. */
interface Entered {
  canvas: Canvas;
  role: CanvasRole;
}

/** The canvas at a slug, with what it grants to the caller; null when there is none. */
export function lookUp(slug: string, principal: Principal, env: Env): Promise<Canvas | null> {
  // A guest has the e-mail address of the invitation, which nobody has verified.
  return findForAccess(slug, isMember(principal) ? principal.email : null, env);
}

/** Step 3: may they in, decided from live rows (specification 4.1). `atGate`: the visitor is giving the password. */
export function enterCanvas(
  canvas: Canvas | null,
  { surface, request }: Pick<Visit, "surface"> & { request: Headed },
  principal: Principal,
  env: Env,
  atGate = false,
): Entered {
  const gateOpen = atGate || (canvas !== null && gateIsOpen(canvas, principal, request, env));
  const entry = enter(canvas, principal, { gateOpen, surface, now: env.clock() });
  if (canvas === null || "refused" in entry) return refuse("refused" in entry ? entry.refused : "NOT_FOUND");
  return { canvas, role: entry.role };
}

/** Looks a canvas up and enters it. */
export async function resolve(
  visit: Pick<Visit, "slug" | "surface"> & { request: Headed },
  principal: Principal,
  env: Env,
  atGate = false,
): Promise<Entered> {
  return enterCanvas(await lookUp(visit.slug, principal, env), visit, principal, env, atGate);
}

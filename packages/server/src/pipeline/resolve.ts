import type { CanvasRole } from "@easel/protocol/types";
import { enter } from "../access/ladder.ts";
import type { Principal } from "../access/roles.ts";
import { type Canvas, findEntry } from "../canvases/access-lookup.ts";
import { gateIsOpen } from "../canvases/gate-cookie.ts";
import type { Env } from "../env.ts";
import type { Headed } from "../http/headed.ts";
import { refuse } from "../http/refusal.ts";
import type { Viewer, Visit } from "./visit.ts";

/** A canvas, and the role with which a visitor has entered it. */
interface Entered {
  canvas: Canvas;
  role: CanvasRole;
}

/** A visitor as the rules of access know them. */
export function principalOf(viewer: Viewer): Principal {
  if (viewer === null) return { kind: "anonymous" };
  if (viewer.guestOf !== null) return { kind: "guest", id: viewer.id, canvasId: viewer.guestOf };
  return { kind: "member", id: viewer.id };
}

/** The canvas at a slug, with what it grants to a visitor; null when there is none. */
export function lookUp(slug: string, viewer: Viewer, env: Env): Promise<Canvas | null> {
  // A guest has the e-mail address of the invitation, which nobody has verified.
  return findEntry(slug, viewer?.guestOf === null ? viewer.email : null, env);
}

/** Step 3: may they in, decided from live rows (specification 4.1). `atGate`: the visitor is giving the password. */
export function enterCanvas(
  canvas: Canvas | null,
  { surface, request }: Pick<Visit, "surface"> & { request: Headed },
  viewer: Viewer,
  env: Env,
  atGate = false,
): Entered {
  const gateOpen = atGate || (canvas !== null && gateIsOpen(canvas, viewer, request, env));
  const entry = enter(canvas, principalOf(viewer), { gateOpen, surface, now: env.clock() });
  if (canvas === null || "refused" in entry) return refuse("refused" in entry ? entry.refused : "NOT_FOUND");
  return { canvas, role: entry.role };
}

/** Looks a canvas up and enters it. */
export async function resolve(
  visit: Pick<Visit, "slug" | "surface"> & { request: Headed },
  viewer: Viewer,
  env: Env,
  atGate = false,
): Promise<Entered> {
  return enterCanvas(await lookUp(visit.slug, viewer, env), visit, viewer, env, atGate);
}

import type { CanvasRole } from "@easel/protocol/types";
import { enter } from "../access/ladder.ts";
import type { Principal } from "../access/roles.ts";
import { type Canvas, findEntry } from "../canvases/entry.ts";
import { gateIsOpen } from "../canvases/gate.ts";
import type { Env } from "../env.ts";
import type { Headed } from "../kit/headed.ts";
import { refuse } from "../kit/refusal.ts";
import type { Viewer, Visit } from "./visit.ts";

/** A visitor as the rules of access know them. */
export function principalOf(viewer: Viewer): Principal {
  if (viewer === null) return { kind: "anonymous" };
  if (viewer.guestOf !== null) return { kind: "guest", id: viewer.id, canvasId: viewer.guestOf };
  return { kind: "member", id: viewer.id };
}

/** Step 3: which canvas, and may they in, decided from live rows (specification 4.1). */
export async function resolve(
  { slug, surface, request }: Pick<Visit, "slug" | "surface"> & { request: Headed },
  viewer: Viewer,
  env: Env,
  /** The visitor is about to open the password gate, so it does not stand in the way. */
  atGate = false,
): Promise<{ canvas: Canvas; role: CanvasRole }> {
  // A guest has the e-mail address of the invitation, which nobody has verified.
  const email = viewer?.guestOf === null ? viewer.email : null;
  const canvas = await findEntry(slug, email, env);
  const gateOpen = atGate || (canvas !== null && gateIsOpen(canvas, viewer, request, env));
  const entry = enter(canvas, principalOf(viewer), { gateOpen, surface, now: env.clock() });
  if (canvas === null || "refused" in entry) return refuse("refused" in entry ? entry.refused : "NOT_FOUND");
  return { canvas, role: entry.role };
}

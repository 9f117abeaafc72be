import type { CanvasRole } from "@easel/protocol/types";
import { type Entry, enter } from "../access/ladder.ts";
import type { Principal } from "../access/roles.ts";
import { type Canvas, findEntry } from "../canvases/entry.ts";
import type { Env } from "../env.ts";
import { refuse } from "../kit/refusal.ts";
import type { Viewer } from "./visit.ts";

const principalOf = (viewer: Viewer): Principal =>
  viewer.kind === "member" ? { kind: "member", id: viewer.person.id } : { kind: "anonymous" };

/** Step 3: which canvas, and may they in, decided from live rows (specification 4.1). */
export async function resolve(
  slug: string,
  viewer: Viewer,
  surface: Entry["surface"],
  env: Env,
): Promise<{ canvas: Canvas; role: CanvasRole }> {
  const canvas = await findEntry(slug, viewer.kind === "member" ? viewer.person.email : null, env);
  const entry = enter(canvas, principalOf(viewer), { gateOpen: false, surface, now: env.clock() });
  if (canvas === null || "refused" in entry) return refuse("refused" in entry ? entry.refused : "NOT_FOUND");
  return { canvas, role: entry.role };
}

import { manages } from "../access/roles.ts";
import { requireEnabled } from "../canvases/lifecycle.ts";
import { type CanvasRow, findCanvas } from "../canvases/store.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import type { Call } from "./route.ts";

/** The canvas that a path names; 404 `NOT_FOUND` for someone without a role on it. */
export async function canvasOf({ params, user }: Call, env: Env): Promise<CanvasRow> {
  const id = params.id ?? "";
  return (isId(id) ? await findCanvas(id, user, env) : undefined) ?? refuse("NOT_FOUND");
}

/** The same for owners and editors only. */
export async function readableCanvas(call: Call, env: Env): Promise<CanvasRow> {
  const canvas = await canvasOf(call, env);
  return manages(canvas.role) ? canvas : refuse("PERMISSION_DENIED");
}

/** The same for a change; 409 `DISABLED` while an administrator has disabled the canvas. */
export async function managedCanvas(call: Call, env: Env): Promise<CanvasRow> {
  const canvas = await readableCanvas(call, env);
  requireEnabled(canvas);
  return canvas;
}

/** The same for a change that only the owner may make. */
export async function ownedCanvas(call: Call, env: Env): Promise<CanvasRow> {
  const canvas = await managedCanvas(call, env);
  return canvas.role === "owner" ? canvas : requireOwner();
}

/** Says no to an editor's owner-only act (specification 7). */
export const requireOwner = (): never =>
  refuse("OWNER_ONLY", { message: "Only the owner of this canvas may do this." }, 403);

import type { Canvas } from "@easel/protocol/types";
import { manages } from "../access/roles.ts";
import type { Person } from "../auth/people.ts";
import { listPeople } from "../canvases/sharing.ts";
import { type CanvasRow, findCanvas } from "../canvases/store.ts";
import { viewOf } from "../canvases/view.ts";
import type { Env } from "../env.ts";
import { isId } from "../kit/ids.ts";
import { refuse } from "../kit/refusal.ts";
import type { Call } from "./route.ts";

/** The canvas that a path names; 404 `NOT_FOUND` for someone without a role on it. */
export async function canvasOf({ params, person }: Call, env: Env): Promise<CanvasRow> {
  const id = params.id ?? "";
  return (isId(id) ? await findCanvas(id, person, env) : undefined) ?? refuse("NOT_FOUND");
}

/** The same for a change: owners and editors only, and not while an administrator has disabled the canvas. */
export async function managedCanvas(call: Call, env: Env): Promise<CanvasRow> {
  const canvas = await canvasOf(call, env);
  if (!manages(canvas.role)) refuse("PERMISSION_DENIED");
  if (canvas.disabled_at !== null) {
    const reason = canvas.disabled_reason === null ? "" : ` ${canvas.disabled_reason}`;
    refuse("DISABLED", { message: `An administrator has disabled this canvas.${reason}` }, 409);
  }
  return canvas;
}

/** A canvas as it is now. */
export async function currentView(id: string, person: Person, env: Env): Promise<Canvas> {
  const row = (await findCanvas(id, person, env)) ?? refuse("NOT_FOUND");
  return viewOf(row, await listPeople(id, env), env);
}

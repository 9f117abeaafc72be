import type { Canvas } from "@easel/protocol/types";
import type { User } from "../access/principal.ts";
import { manages } from "../access/roles.ts";
import { listPeople, listTeamsOf } from "../canvases/sharing.ts";
import { type CanvasRow, findCanvas } from "../canvases/store.ts";
import { viewOf } from "../canvases/view.ts";
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
  if (canvas.disabled_at !== null) {
    const reason = canvas.disabled_reason === null ? "" : ` ${canvas.disabled_reason}`;
    refuse("DISABLED", { message: `An administrator has disabled this canvas.${reason}` }, 409);
  }
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

/** Canvases as the management API shows them to a caller. */
export async function viewsFor(rows: CanvasRow[], env: Env): Promise<Canvas[]> {
  const managed = rows.filter(({ role }) => manages(role)).map(({ id }) => id);
  const [people, teams] = await Promise.all([listPeople(managed, env), listTeamsOf(managed, env)]);
  return rows.map((row) => viewOf(row, people.get(row.id) ?? [], teams.get(row.id) ?? [], env));
}

/** A canvas as the management API shows it to whoever asked. */
export async function viewFor(row: CanvasRow, env: Env): Promise<Canvas> {
  const [view] = await viewsFor([row], env);
  return view as Canvas;
}

/** A canvas as it is now. */
export async function currentView(id: string, user: User, env: Env): Promise<Canvas> {
  return viewFor((await findCanvas(id, user, env)) ?? refuse("NOT_FOUND"), env);
}

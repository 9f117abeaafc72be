import type { Canvas } from "../canvases/access-lookup.ts";
import { type DeletedRow, findDeletedNamed } from "../canvases/deletion.ts";
import { type CanvasRow, findCanvas } from "../canvases/store.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { parseCanvasPath } from "../http/canvas-path.ts";
import { refuse } from "../http/refusal.ts";
import { hasMade } from "../identity/apps.ts";
import { lookUp, slugOf } from "../pipeline/resolve.ts";
import type { Acting } from "./tool-call.ts";

/**
 * Finds the canvas that a program means: by its slug, its id, or any address of it. Throws 404 `NOT_FOUND` if there is none, if the person has
 * no role on it, or if the connected tool may not use it. Every tool finds its canvas by this function.
 */
export async function findMeant(call: Acting, reference: string): Promise<Canvas> {
  const { caller, env } = call;
  const { id, slug = "" } = namesIn(reference.trim(), env);
  const known = id === undefined ? "" : await slugOf(id, env);
  const canvas = await lookUp(known === "" ? slug : known, caller.user, env);
  const hasRole = canvas !== null && (canvas.ownerId === caller.user.id || canvas.granted !== null);
  if (!hasRole || canvas.deletedAt !== null || !(await isAllowed(call, canvas.id)))
    return refuseUnknown(call);
  return canvas;
}

/** Finds the canvas that a program means, as `findMeant` does, with all of its row. */
export async function findMeantRow(call: Acting, reference: string): Promise<CanvasRow> {
  const { id } = await findMeant(call, reference);
  return (await findCanvas(id, call.caller.user, call.env)) ?? refuseUnknown(call);
}

const refuseUnknown = ({ app }: Acting): never =>
  refuse("NOT_FOUND", {
    message: "There is no such canvas that you may use.",
    hint: app.ownOnly
      ? "This connection may use only canvases that it has made: see `list_canvases`."
      : "See `list_canvases`.",
  });

/**
 * Finds a canvas in the trash of the person that a program means, by its slug, its id, or any address that it had. Returns undefined if there
 * is none, or if the connected tool may not use it.
 */
export async function findDeletedMeant(call: Acting, reference: string): Promise<DeletedRow | undefined> {
  const { caller, env } = call;
  const { id, slug } = namesIn(reference.trim(), env);
  const named = id ?? slug;
  const deleted = named === undefined ? undefined : await findDeletedNamed(named, caller.user.id, env);
  return deleted !== undefined && (await isAllowed(call, deleted.id)) ? deleted : undefined;
}

/** Whether the connected tool of a call may use a canvas, as far as its person has limited it. */
async function isAllowed({ app, caller, env }: Acting, canvasId: string): Promise<boolean> {
  if (app.canvasId !== null && app.canvasId !== canvasId) return false;
  return !app.ownOnly || hasMade(app, caller.user.id, canvasId, env);
}

/** Matches the path of a screen of a canvas in the dashboard. */
const SCREEN_PATH = /^\/canvases\/([^/]+)/;

/**
 * Returns what a reference can mean. The reference itself is an id or, if no canvas has it, a slug. The address of a canvas has its slug, which
 * can look like the id of another canvas, and that of a screen has its id.
 */
function namesIn(reference: string, { base }: Env): { id?: string | undefined; slug?: string | undefined } {
  if (isId(reference) && !reference.includes(":")) return { id: reference, slug: reference };
  const url = URL.parse(reference);
  if (url === null) return {};
  if (url.origin !== base.origin) return { slug: base.labelOf(url.host) ?? undefined };
  return { slug: parseCanvasPath(url.pathname)?.slug, id: SCREEN_PATH.exec(url.pathname)?.[1] };
}

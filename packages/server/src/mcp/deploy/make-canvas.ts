import type { Canvas } from "@easel/protocol/types";
import { Refusal, refuse } from "../../http/refusal.ts";
import { recordMade } from "../../identity/apps.ts";
import { actNamed } from "../../management/acts.ts";
import { type Acting, perform } from "../tool-call.ts";

const createAct = actNamed<Canvas>("canvas.create");
const deleteAct = actNamed<undefined>("canvas.delete");

/**
 * Makes a private canvas without a version, and records that the program has made it: a connected tool can be limited to such canvases. If it
 * cannot be recorded, the canvas is deleted again. Throws 400 `INVALID_BODY` without a title, and 403 `PERMISSION_DENIED` for a connected tool
 * that is limited to one canvas.
 */
export async function makeCanvas(
  call: Acting,
  title: string | undefined,
  slug: string | undefined,
): Promise<Canvas> {
  const { app, caller, env } = call;
  if (app.canvasId !== null)
    refuse("PERMISSION_DENIED", {
      message: "This connection is for one canvas and cannot create others.",
      hint: "Give `canvas` to change it: `list_canvases` names it.",
    });
  if (title === undefined)
    refuse("INVALID_BODY", {
      message: "A new canvas needs a `title`.",
      hint: "To change a canvas that exists, give `canvas`: its slug, id or address.",
    });
  const canvas = await create(call, { title, ...(slug !== undefined && { slug }) });
  try {
    await recordMade(app, caller.user.id, canvas.id, env);
  } catch (error) {
    await discardCanvas(call, canvas.id);
    throw error;
  }
  return canvas;
}

/** Throws 400 `INVALID_BODY` if the arguments name an existing canvas and what only a new one gets. */
export function refuseNewFields({
  title,
  slug,
}: {
  title?: string | undefined;
  slug?: string | undefined;
}): void {
  if ((title ?? slug) !== undefined)
    refuse("INVALID_BODY", {
      message: "`title` and `slug` are for a new canvas.",
      hint: "Leave them out: `configure_canvas` changes them. To create a canvas, leave out `canvas`.",
    });
}

async function create(call: Acting, body: { title: string; slug?: string }): Promise<Canvas> {
  try {
    return await perform(call, createAct, { body });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "SLUG_TAKEN") throw error;
    const hint = "Give another `slug`, or none. To change a canvas that exists, give `canvas` instead.";
    throw new Refusal(error.status, { ...error.body, hint });
  }
}

/** Deletes a canvas whose first deploy has failed. The scope `deploy` deletes only canvases without a version, so a published one stays. */
export async function discardCanvas(call: Acting, id: string): Promise<void> {
  await perform(call, deleteAct, { params: { id } }).catch((error) =>
    call.env.log.warn({ err: error, canvas: id }, "a canvas whose first deploy failed could not be deleted"),
  );
}

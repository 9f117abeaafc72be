import path from "node:path";
import type { Canvas } from "@easel/protocol/types";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { type FolderCanvas, readFolderCanvas } from "../project/folder-canvas.ts";
import { clean } from "../terminal/clean.ts";
import { requireAgreement } from "./agreement.ts";
import { Refusal } from "./refusal.ts";
import { bodyOf, connect, type Service } from "./service.ts";

/** The options by which a command finds its canvas. */
export interface CanvasOptions {
  url?: string;
  /** The slug or the id of the canvas. By default the canvas of the working directory. */
  canvas?: string;
}

/** Finds a canvas of the caller by its slug. Returns undefined if the caller has none with this slug. */
export async function canvasBySlug(slug: string, { api }: Service): Promise<Canvas | undefined> {
  let cursor: string | undefined;
  do {
    const query = { q: slug, ...(cursor === undefined ? {} : { cursor }) };
    const page = await bodyOf(api.GET("/api/canvases", { params: { query } }));
    const found = page.canvases.find((each) => each.slug === slug);
    if (found !== undefined) return found as Canvas;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return undefined;
}

/** Returns a canvas by its id. Throws a `Refusal` with status 404 if the caller has no role on it. */
export const canvasById = async (id: string, { api }: Service): Promise<Canvas> =>
  (await bodyOf(api.GET("/api/canvases/{id}", { params: { path: { id } } }))) as Canvas;

/** Returns the canvas that a folder was deployed to. Throws a `Failure` if it is deleted or not shared with the caller. */
async function canvasOf({ canvasId, slug }: FolderCanvas, service: Service): Promise<Canvas> {
  try {
    return await canvasById(canvasId, service);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    return fail(`The canvas \`${clean(slug)}\` of this folder is deleted, or not shared with you any more.`, {
      exit: "denied",
      hint: "`easel restore` brings back one that you have deleted.",
    });
  }
}

/**
 * Finds the canvas of a folder: the one that the person has deployed it to or has agreed to, else the one that the folder names by its
 * project or by the slug of its `easel.json`. Asks about a canvas that only the folder names. Returns undefined if there is none.
 */
async function canvasOfFolder(
  folder: string,
  service: Service,
  context: Context,
): Promise<Canvas | undefined> {
  const own = await readFolderCanvas(folder, service.url, context);
  const slug =
    own === undefined
      ? (await (await import("../project/easel-json.ts")).readEaselJson(folder)).slug
      : undefined;
  const canvas =
    own !== undefined
      ? await canvasOf(own, service)
      : slug === undefined
        ? undefined
        : await canvasBySlug(slug, service);
  if (canvas !== undefined && !own?.isAgreed)
    await requireAgreement(folder, canvas, { question: "Use it?", flag: "--canvas" }, service, context);
  return canvas;
}

/**
 * Connects to the service and finds the canvas of a command: the one that `--canvas` names, or that of the working directory. Throws a
 * `Failure` if there is none.
 */
export async function findCanvas(
  { url, canvas: given }: CanvasOptions,
  context: Context,
): Promise<{ service: Service; canvas: Canvas }> {
  const service = await connect({ url, folder: context.cwd }, context);
  if (given !== undefined) {
    const canvas = await canvasBySlug(given, service);
    if (canvas !== undefined) return { service, canvas };
    if (/^[\w-]{16,}$/.test(given)) return { service, canvas: await canvasById(given, service) };
    return fail(`You have no canvas \`${clean(given)}\` at ${service.url}.`, {
      exit: "denied",
      hint: "`easel list` shows your canvases.",
    });
  }
  const own = await canvasOfFolder(context.cwd, service, context);
  if (own !== undefined) return { service, canvas: own };
  return fail(`${clean(path.basename(context.cwd))} was never deployed to ${service.url}.`, {
    exit: "usage",
    hint: "Give --canvas SLUG, or change to the folder of the canvas.",
  });
}

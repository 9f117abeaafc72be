import type { Canvas } from "@easel/protocol/types";
import type { EaselJson } from "@easel/server/canvases/publishing/easel-json";
import { isAllowedSlug } from "@easel/server/canvases/publishing/slug";
import { isSlug } from "@easel/server/http/canvas-path";
import { canvasById, canvasBySlug } from "../api/find-canvas.ts";
import { Refusal } from "../api/refusal.ts";
import { bodyOf, type Service } from "../api/service.ts";
import { fail } from "../exit.ts";
import type { FolderCanvas } from "../project/folder-canvas.ts";
import { nameOfFolder } from "../project/folder-name.ts";
import { clean } from "../terminal/clean.ts";

/** The slug that a folder is deployed to, and where it comes from: `--slug`, `easel.json` or the name of the folder. */
export interface Slug {
  slug: string;
  source: "flag" | "easel.json" | "name";
  /** The title of the canvas if the deploy creates it. */
  title: string;
}

const HINT = "Give --slug, with 3 to 63 lower-case letters, digits and inner hyphens.";

/**
 * Returns the slug of a folder's canvas: `flag`, the slug in `easel.json`, or one derived from the folder. Throws a usage error if it is
 * malformed, or if the folder makes none.
 */
export async function slugFor(
  folder: string,
  flag: string | undefined,
  { slug: own, title }: EaselJson,
): Promise<Slug> {
  const named = await nameOfFolder(folder);
  const source = flag !== undefined ? "flag" : own !== undefined ? "easel.json" : "name";
  const slug =
    flag ?? own ?? named.slug ?? fail("The folder's name makes no slug.", { exit: "usage", hint: HINT });
  return isSlug(slug) ? { slug, source, title: title ?? named.title } : failWith(slug);
}

const failWith = (slug: string): never =>
  fail(`The slug \`${clean(slug)}\` is too short, malformed or reserved.`, { exit: "usage", hint: HINT });

/**
 * Returns the canvas that a folder is deployed to. This is the known canvas of the folder, if it still exists and no other slug is given.
 * Otherwise it is the canvas with the slug, or undefined if there is none. Throws a usage error if there is none and the slug is reserved
 * for the service.
 */
export async function findTarget(
  slug: Slug,
  known: FolderCanvas | undefined,
  service: Service,
): Promise<Canvas | undefined> {
  const found = await findCanvas(slug, known, service);
  return found === undefined && !isAllowedSlug(slug.slug) ? failWith(slug.slug) : found;
}

async function findCanvas({ slug, source }: Slug, known: FolderCanvas | undefined, service: Service) {
  // With `--slug`, a canvas that only the folder names does not count, because it may have another slug than the folder says.
  const isOther = known?.slug !== slug || !known.isAgreed;
  if (
    known === undefined ||
    (source === "easel.json" && known.slug !== slug) ||
    (source === "flag" && isOther)
  )
    return canvasBySlug(slug, service);
  try {
    return await canvasById(known.canvasId, service);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return canvasBySlug(slug, service);
    throw error;
  }
}

/** Makes a canvas without a version. Throws a `Failure` with advice if the slug is taken. */
export async function makeCanvas({ slug, title }: Slug, service: Service): Promise<Canvas> {
  try {
    return (await bodyOf(service.api.POST("/api/canvases", { body: { title, slug } }))) as Canvas;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 403)
      return fail(`You have no canvas \`${slug}\`, and may not create one: ${error.message}`, {
        exit: "denied",
        hint: "To deploy to another canvas, give its slug with --slug, or in easel.json.",
      });
    if (error.code !== "SLUG_TAKEN") throw error;
    const isOwn = (await canvasBySlug(slug, service)) !== undefined;
    return fail(
      isOwn
        ? `Another deploy is making \`${slug}\` at this moment.`
        : `The address \`${slug}\` belongs to a canvas of someone else, or once did.`,
      { exit: "conflict", hint: isOwn ? "Try again." : "Give another one with --slug, or in easel.json." },
    );
  }
}

import type { ListedCanvas } from "@easel/protocol/management";
import { requireAgreement } from "../api/agreement.ts";
import type { CanvasOptions } from "../api/find-canvas.ts";
import { Refusal } from "../api/refusal.ts";
import { bodyOf, connect } from "../api/service.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { readEaselJson } from "../project/easel-json.ts";
import { readFolderCanvas } from "../project/folder-canvas.ts";
import { clean } from "../terminal/clean.ts";
import { readCanvases } from "./list.ts";

/**
 * Restores a deleted canvas: the one with the given slug or id, or that of the working directory. `--slug` gives it a new slug, which is
 * necessary if another canvas has the old one. Prints the address.
 */
export async function restore(
  given: string | undefined,
  options: CanvasOptions & { slug?: string },
  context: Context,
): Promise<void> {
  const { terminal, cwd } = context;
  const service = await connect({ url: options.url, folder: cwd }, context);
  const named = given ?? options.canvas;
  const own = await readFolderCanvas(cwd, service.url, context);
  const name = named ?? own?.canvasId ?? (await readEaselJson(cwd)).slug;
  if (name === undefined)
    fail("The working directory names no canvas.", {
      exit: "usage",
      hint: "Give a slug: `easel list --deleted` shows them.",
    });
  const deleted = await readCanvases({ deleted: true }, service);
  const found: ListedCanvas =
    deleted.find(({ id, slug }) => slug === name || id === name) ??
    fail(`You have no deleted canvas \`${clean(name)}\` at ${service.url}.`, {
      exit: "denied",
      hint: "`easel list --deleted` shows those that can be restored.",
    });
  if (named === undefined && !own?.isAgreed)
    await requireAgreement(cwd, found, { question: "Restore it?", flag: "--canvas" }, service, context);
  const body = options.slug === undefined ? {} : { slug: options.slug };
  try {
    const { url, id, slug, version } = await bodyOf(
      service.api.POST("/api/canvases/{id}/restore", { params: { path: { id: found.id } }, body }),
    );
    terminal.result({ url, id, slug, version }, () => `${clean(url)}\n`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "SLUG_TAKEN") throw error;
    fail(`Another canvas has the slug \`${clean(options.slug ?? found.slug)}\`.`, {
      exit: "conflict",
      hint: "Give another one with --slug.",
    });
  }
}

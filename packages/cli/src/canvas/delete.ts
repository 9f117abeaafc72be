import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

/** Deletes a canvas, which can be restored for 30 days. Without `--yes`, the person must type the slug first. */
export async function deleteCanvas(
  options: CanvasOptions & { yes?: boolean },
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const { service, canvas } = await findCanvas(options, context);
  const { id, slug, title, url } = canvas;
  if (!options.yes) {
    terminal.say(`This deletes “${clean(title)}” at ${clean(url)} with its versions and data.`);
    const typed = await terminal.ask.text({
      message: `Type \`${clean(slug)}\` to delete it.`,
      flag: "--yes",
    });
    if (typed.trim() !== slug) fail("That is another slug; nothing was changed.", { exit: "usage" });
  }
  await service.api.DELETE("/api/canvases/{id}", { params: { path: { id } } });
  terminal.say(`Deleted. \`easel restore ${clean(slug)}\` brings it back for 30 days.`);
  terminal.result({ id, slug, deleted: true }, () => "");
}

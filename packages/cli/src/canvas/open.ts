import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { clean } from "../terminal/clean.ts";

/** Opens the page of a canvas in the browser, where there is a terminal, and prints its address. */
export async function openCanvas(
  options: CanvasOptions & { browser: boolean },
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const { canvas } = await findCanvas(options, context);
  const { url, id, slug, version } = canvas;
  if (version === null) terminal.warn("The canvas has no version yet; `easel deploy` publishes one.");
  terminal.result({ url, id, slug }, () => `${url}\n`);
  if (!options.browser || !terminal.ask.possible || !/^https?:\/\//.test(url)) return;
  const { default: open } = await import("open");
  try {
    const child = await open(url);
    child.on("error", (error) => terminal.warn(`The browser cannot be opened: ${clean(error.message)}`));
  } catch (error) {
    terminal.warn(`The browser cannot be opened: ${clean((error as Error).message)}`);
  }
}

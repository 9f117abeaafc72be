import { hasBrowser, openBrowser } from "../account/browser.ts";
import { isDraft } from "../api/agreement.ts";
import { type CanvasOptions, findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

/** Prints the address of a canvas. Also opens it in the browser if there are a terminal and a browser. */
export async function openCanvas(
  options: CanvasOptions & { browser: boolean },
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const { canvas } = await findCanvas(options, context);
  const { url, id, slug } = canvas;
  if (!/^https?:\/\//.test(url)) fail("The service sent an address that is no web page.");
  if (isDraft(canvas)) terminal.warn("The canvas has no version yet; `easel deploy` publishes one.");
  else if (canvas.version === null)
    terminal.warn("The canvas is unpublished; `easel deploy` publishes it again.");
  terminal.result({ url, id, slug }, () => `${clean(url)}\n`);
  const isWanted = options.browser && !terminal.json && terminal.ask.possible;
  if (isWanted && hasBrowser(context)) await openBrowser(url, context);
}

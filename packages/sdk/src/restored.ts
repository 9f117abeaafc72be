import { createMe } from "./me.ts";
import type { Api } from "./request.ts";

/** The parts of a browser that this module uses. */
interface BrowserPage {
  readonly document: { adoptedStyleSheets: object[] };
  readonly CSSStyleSheet: new () => { replaceSync(text: string): void };
  readonly location: { reload(): void };
  readonly scrollX: number;
  readonly scrollY: number;
  scrollTo(x: number, y: number): void;
  addEventListener(
    type: "pagehide" | "pageshow",
    listener: (event: { readonly persisted: boolean }) => void,
  ): void;
}

/**
 * Hides the page while the browser keeps it for its back button. When it comes back, asks who the viewer is before it is shown: another person
 * than the one who has left it, or nobody, gets the page anew. So does a page that does not know who that was, because it has not asked.
 * Does nothing outside of a page.
 */
export function guardRestores(api: Api): void {
  const page = globalThis as unknown as BrowserPage;
  if (!page.document) return;
  const me = createMe(api);
  const hidden = new page.CSSStyleSheet();
  hidden.replaceSync("html{display:none!important}");
  let left: [x: number, y: number] = [0, 0];
  page.addEventListener("pagehide", ({ persisted }) => {
    if (!persisted || page.document.adoptedStyleSheets.includes(hidden)) return;
    left = [page.scrollX, page.scrollY];
    page.document.adoptedStyleSheets = [...page.document.adoptedStyleSheets, hidden];
  });
  page.addEventListener("pageshow", async ({ persisted }) => {
    if (!persisted) return;
    const before = api.viewer;
    api.viewer = undefined;
    if (before !== undefined) await me().catch(() => {});
    if (before === undefined || api.viewer !== before) return page.location.reload();
    page.document.adoptedStyleSheets = page.document.adoptedStyleSheets.filter((each) => each !== hidden);
    page.scrollTo(...left);
  });
}

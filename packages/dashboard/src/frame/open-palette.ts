const target = new EventTarget();

/** Opens the palette, in which a person goes to a canvas, a screen or an act by its name. */
export const openPalette = (): void => void target.dispatchEvent(new Event("open"));

/** Calls a listener when the palette is to be opened. Returns a function that ends this. */
export function onOpenPalette(listener: () => void): () => void {
  target.addEventListener("open", listener);
  return () => target.removeEventListener("open", listener);
}

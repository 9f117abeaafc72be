export type View = "list" | "cards";

/** Where the canvases of a list are drawn. All of them have the same size, so that those out of view need not be in the document. */
export interface Layout {
  columns: number;
  /** The height of a row, with the gap below it, in pixels. */
  height: number;
}

/** Widths and heights in units of the font size of the document. */
const CARD = { width: 16.5, height: 12 };
const WIDE_ROW = 4;
const NARROW_ROW = 7.5;
const NARROW = 44;

/** Returns the layout for a width in pixels. `rem` is the font size of the document in pixels. */
export function layoutOf(view: View, width: number, rem: number): Layout {
  if (view === "cards")
    return { columns: Math.max(1, Math.floor(width / (CARD.width * rem))), height: CARD.height * rem };
  return { columns: 1, height: (width < NARROW * rem ? NARROW_ROW : WIDE_ROW) * rem };
}

/** The rows that are drawn above and below those in view. */
const SPARE = 3;

/**
 * Returns the first canvas to draw and the one after the last. `top` is where the list begins relative to the top of the window, `view` the
 * height of the window, both in pixels.
 */
export function drawn(
  { columns, height }: Layout,
  count: number,
  top: number,
  view: number,
): [number, number] {
  const first = Math.floor(-top / height) - SPARE;
  const end = Math.ceil((view - top) / height) + SPARE;
  const within = (row: number) => Math.min(Math.max(row, 0) * columns, count);
  return [within(first), within(end)];
}

/**
 * Returns the canvas to which a key moves from the one at `at`, null for a key that does not move. `page` is the number of rows that Page Up
 * and Page Down pass.
 */
export function moved(key: string, at: number, count: number, columns: number, page: number): number | null {
  const steps: Record<string, number> = {
    ArrowDown: columns,
    ArrowUp: -columns,
    ArrowRight: columns > 1 ? 1 : 0,
    ArrowLeft: columns > 1 ? -1 : 0,
    PageDown: page * columns,
    PageUp: -page * columns,
    Home: -count,
    End: count,
  };
  const step = Object.hasOwn(steps, key) ? (steps[key] as number) : 0;
  return step === 0 ? null : Math.min(Math.max(at + step, 0), count - 1);
}

import { Layout, LayoutInfo, Rect, Size } from "react-aria-components/Virtualizer";

/** The sizes of a tile and of the space between two, in rem. */
const LEAST_WIDTH = 9;
const HEIGHT = 11;
const GAP = 0.75;
/** The height in rem of the line that says that more is read. */
const LOADER = 2.5;

/** Places tiles of one size in rows, as many in each as fit. `rem` is in px. */
export class TileLayout extends Layout {
  #infos = new Map<unknown, LayoutInfo>();
  #height = 0;

  override update({ layoutOptions }: { layoutOptions?: { rem: number } }): void {
    const { collection, size } = this.virtualizer ?? {};
    if (collection === undefined || size === undefined) return;
    const { rem = 16 } = layoutOptions ?? {};
    const gap = GAP * rem;
    const perRow = Math.max(1, Math.floor((size.width + gap) / (LEAST_WIDTH * rem + gap)));
    const width = (size.width - gap * (perRow - 1)) / perRow;
    const [step, across] = [HEIGHT * rem + gap, width + gap];
    this.#infos = new Map();
    let index = 0;
    let loader: { key: string | number; isLoading: boolean } | undefined;
    for (const { key, type, props } of collection) {
      if (type === "loader") {
        loader = { key, isLoading: props.isLoading === true };
        continue;
      }
      const rect = new Rect(
        (index % perRow) * across,
        Math.floor(index / perRow) * step,
        width,
        HEIGHT * rem,
      );
      this.#infos.set(key, new LayoutInfo(type, key, rect));
      index++;
    }
    this.#height = Math.ceil(index / perRow) * step;
    if (loader === undefined) return;
    const height = loader.isLoading ? LOADER * rem : 0;
    const rect = new Rect(0, this.#height, size.width, height);
    this.#infos.set(loader.key, new LayoutInfo("loader", loader.key, rect));
    this.#height += height;
  }

  override getVisibleLayoutInfos(rect: Rect): LayoutInfo[] {
    return [...this.#infos.values()].filter(
      ({ key, type, rect: its }) =>
        type === "loader" || its.intersects(rect) || this.virtualizer?.isPersistedKey(key),
    );
  }

  override getLayoutInfo(key: string | number): LayoutInfo | null {
    return this.#infos.get(key) ?? null;
  }

  override getContentSize(): Size {
    return new Size(this.virtualizer?.size.width ?? 0, this.#height);
  }
}

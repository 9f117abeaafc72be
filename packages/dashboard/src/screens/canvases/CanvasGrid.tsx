import "./canvas-grid.css";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { ListedCanvas } from "../../api/types.ts";
import { drawn, type Layout, layoutOf, moved, type View } from "./layout.ts";

/** The rows that Page Up and Page Down pass. */
const PAGE_ROWS = 8;

/** Ids of canvases. */
export type Selection = ReadonlySet<string>;

/**
 * Canvases as a grid for the keyboard: arrows move, Home and End go to the ends, Enter opens, Space selects, with Shift all between, and
 * Ctrl A all. Only the rows in view and the one with the focus are in the document. `hasMore` says that the list goes on: `onNearEnd` is
 * called before its last known row comes into view, and End calls `readAll` first.
 */
export function CanvasGrid({
  label,
  canvases,
  view,
  hasMore,
  onNearEnd,
  readAll,
  selection,
  onSelect,
  canSelect,
  onOpen,
  children,
}: {
  label: string;
  canvases: readonly ListedCanvas[];
  view: View;
  hasMore: boolean;
  onNearEnd: () => void;
  /** Returns the number of canvases once all have been read, or null if they cannot be. */
  readAll: () => Promise<number | null>;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  canSelect: (canvas: ListedCanvas) => boolean;
  onOpen: (canvas: ListedCanvas) => void;
  /** Draws what a row contains. Its controls can be reached by Tab while the row is the active one. */
  children: (
    canvas: ListedCanvas,
    row: { isActive: boolean; select: (isRange: boolean) => void },
  ) => ReactNode;
}) {
  const grid = useRef<HTMLDivElement>(null);
  const count = canvases.length;
  const { layout, shown } = useDrawn(grid, view, count);
  const [activeRow, setActive] = useState(0);
  const active = Math.min(activeRow, Math.max(count - 1, 0));
  const moves = useRef(false);
  const anchor = useRef(0);
  const keyCount = useRef(0);

  // The row to go to is drawn first.
  useLayoutEffect(() => {
    if (!moves.current) return;
    moves.current = false;
    grid.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)?.focus();
  });
  const go = (to: number) => {
    moves.current = true;
    setActive(to);
  };

  const [first, end] = shown;
  useEffect(() => {
    if (hasMore && end >= count - 30) onNearEnd();
  }, [hasMore, end, count, onNearEnd]);

  const select = (index: number, isRange: boolean) => {
    const next = new Set(selection);
    if (isRange) {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      for (const each of canvases.slice(from, to + 1)) if (canSelect(each)) next.add(each.id);
    } else {
      const canvas = canvases[index] as ListedCanvas;
      if (!canSelect(canvas)) return;
      if (!next.delete(canvas.id)) next.add(canvas.id);
      anchor.current = index;
    }
    onSelect(next);
  };

  const goToEnd = async () => {
    const key = keyCount.current;
    const all = await readAll();
    // If the person has pressed another key meanwhile, the focus stays where they have moved it.
    if (all !== null && key === keyCount.current) go(all - 1);
  };

  const press = (event: KeyboardEvent<HTMLElement>) => {
    const { key, shiftKey, target } = event;
    const isModified = event.ctrlKey || event.metaKey;
    keyCount.current++;
    if (event.altKey || (target as HTMLElement).role !== "row") return;
    if (isModified && key === "a") onSelect(new Set(canvases.filter(canSelect).map(({ id }) => id)));
    else if (key === "Escape" && selection.size > 0) onSelect(new Set());
    else if (key === " ") select(active, shiftKey);
    else if (key === "Enter" && !isModified) onOpen(canvases[active] as ListedCanvas);
    else if (key === "End" && hasMore) void goToEnd();
    else {
      const to = moved(key, active, count, layout.columns, PAGE_ROWS);
      if (to === null) return;
      if (shiftKey) select(to, true);
      go(to);
    }
    event.preventDefault();
  };

  const indexes = Array.from({ length: end - first }, (_, at) => first + at);
  if (count > 0 && (active < first || active >= end)) indexes.push(active);
  const rows = Math.ceil(count / layout.columns);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out rows
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : count}
      aria-multiselectable={canvases.some(canSelect) ? true : undefined}
      className={`canvas-grid ${view}${selection.size > 0 ? " selecting" : ""}`}
      style={{ height: rows * layout.height }}
      onKeyDown={press}
    >
      {indexes.map((index) => {
        const canvas = canvases[index];
        if (canvas === undefined) return null;
        const isSelected = selection.has(canvas.id);
        return (
          // biome-ignore lint/a11y/useSemanticElements: see above
          <div
            key={canvas.id}
            role="row"
            data-index={index}
            tabIndex={index === active ? 0 : -1}
            aria-rowindex={index + 1}
            aria-selected={canSelect(canvas) ? isSelected : undefined}
            className={`canvas-row${isSelected ? " selected" : ""}`}
            style={placeOf(layout, index)}
            onFocus={() => setActive(index)}
          >
            {/* biome-ignore lint/a11y/useSemanticElements: see above */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: see above */}
            <div role="gridcell" className="canvas-cell">
              {children(canvas, {
                isActive: index === active,
                select: (isRange) => select(index, isRange),
              })}
            </div>
          </div>
        );
      })}
    </div>
  );
}

const placeOf = ({ columns, height }: Layout, index: number) => ({
  top: Math.floor(index / columns) * height,
  left: `${((index % columns) * 100) / columns}%`,
  width: `${100 / columns}%`,
  height,
});

/** Returns the layout of the grid for its width, and the canvases to draw. */
function useDrawn(
  grid: RefObject<HTMLDivElement | null>,
  view: View,
  count: number,
): { layout: Layout; shown: readonly [number, number] } {
  const [state, setState] = useState<{ layout: Layout; shown: readonly [number, number] }>(() => ({
    layout: layoutOf(view, Math.min(innerWidth, 1_000), 16),
    shown: [0, Math.min(count, 20)],
  }));
  useLayoutEffect(() => {
    const element = grid.current as HTMLDivElement;
    const measure = () => {
      const { top, width } = element.getBoundingClientRect();
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const layout = layoutOf(view, width, rem);
      const shown = drawn(layout, count, top, innerHeight);
      setState((before) =>
        before.layout.columns === layout.columns &&
        before.layout.height === layout.height &&
        before.shown[0] === shown[0] &&
        before.shown[1] === shown[1]
          ? before
          : { layout, shown },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [grid, view, count]);
  const [first, end] = state.shown;
  return { layout: state.layout, shown: [Math.min(first, count), Math.min(end, count)] };
}

/** Moves the focus to the active row, after an act that took away the control that performed it, or to the screen if there is none. */
export const focusRow = (): void => {
  requestAnimationFrame(() => {
    const row = document.querySelector<HTMLElement>('.canvas-row[tabindex="0"]');
    (row ?? document.getElementById("main"))?.focus();
  });
};

import "./data-grid.css";
import "./toggle.css";
import { ArrowDown, ArrowUp, Check, Minus } from "lucide-react";
import {
  createContext,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  type RefObject,
  useContext,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from "react";
import { Checkbox } from "react-aria-components/Checkbox";
import {
  Cell,
  Collection,
  Column,
  ColumnResizer,
  ResizableTableContainer,
  Row,
  Table,
  TableBody,
  TableHeader,
  TableLoadMoreItem,
  TableStateContext,
} from "react-aria-components/Table";
import { TableLayout, Virtualizer } from "react-aria-components/Virtualizer";

/** A column of a grid. */
export interface GridColumn {
  id: string;
  label: string;
  /** Whether the header of the column sorts the rows by it. */
  isSortable?: boolean;
  /** The width at first, in rem. Without it, the column shares what the others leave. */
  width?: number;
  /** The width in rem below which the grid scrolls sideways instead. */
  minWidth?: number;
  /** Where its content stands: numbers stand at the end. */
  align?: "start" | "end";
}

/** A row of a grid. A row that has changed is another object with the same `id`. */
export interface GridRow {
  id: string;
  /** Says that the row has just changed: it is marked for a moment. Another number is another change. */
  mark?: number;
}

export interface GridSort {
  column: string;
  direction: "ascending" | "descending";
}

/** What a screen can do with a grid. */
export interface GridHandle {
  /** Moves the focus to a row. Returns whether there is such a row. */
  focusRow(id: string): boolean;
}

/** Ids of the selected rows. */
export type GridSelection = ReadonlySet<string>;

interface GridProps<Shown extends GridRow> {
  /** Names the grid for screen readers. */
  label: string;
  columns: readonly GridColumn[];
  rows: readonly Shown[];
  /** Draws a cell: short texts on one line. */
  cell: (row: Shown, column: string) => ReactNode;
  /** Draws the whole row where the window is too narrow for columns. */
  card: (row: Shown) => ReactNode;
  /** Names a row for screen readers, and is what typing finds. */
  textOf: (row: Shown) => string;
  sort?: GridSort | null;
  onSort?: (sort: GridSort) => void;
  /** Without these, rows cannot be selected. */
  selection?: GridSelection;
  onSelect?: (selection: GridSelection) => void;
  /** Is called by Enter and by a click. */
  onOpen?: (row: Shown) => void;
  /** Is called by F2 on a cell of this column. */
  onEdit?: (row: Shown, column: string) => void;
  /** Is called by Delete, with the selected rows if the row is one of them, or else with the row alone. */
  onDelete?: (rows: Shown[]) => void;
  /** The list goes on: `onMore` is called before its last known row comes into view. */
  hasMore?: boolean;
  isReading?: boolean;
  onMore?: () => void;
  /** Reads all rows, for somebody who goes to the end. Resolves with the id of the last one, or null if they cannot be read. */
  readAll?: () => Promise<string | null>;
  handle?: Ref<GridHandle>;
}

/** The heights in rem of the header, of a row, and of a row that is drawn as a card. */
const HEADING = 2.5;
const ROW = 2.5;
const CARD = 5.5;
/** The width in rem below which rows are cards. */
const NARROW = 40;

const CARDS: readonly GridColumn[] = [{ id: "card", label: "Content" }];

/**
 * Rows with columns, as a grid for the keyboard: arrows move between rows and cells, Home and End to the ends of a row, with Ctrl to the ends of
 * the list, Enter opens a row, Space selects it, F2 edits a cell, Delete deletes, Escape takes the selection back. Typing goes to a row by its
 * name and never changes anything. Only the rows in view are in the document, however many there are. In a narrow window rows are cards.
 */
export function DataGrid<Shown extends GridRow>(props: GridProps<Shown>) {
  const { label, rows, cell, card, textOf, sort = null, onSort, selection, onSelect, onOpen } = props;
  const { hasMore = false, isReading = false, onMore, handle } = props;
  const isNarrow = useNarrow();
  const columns = isNarrow ? CARDS : props.columns;
  const rem = useRem();
  const table = useRef<HTMLDivElement & HTMLTableElement>(null);
  const state = useRef<State>(null);
  const rowCount = useRef(0);
  rowCount.current = hasMore ? -1 : rows.length + 1;
  const onKeyDown = useKeys(props, table, state);
  const byId = useMemo(() => new Map(rows.map((row) => [row.id, row])), [rows]);
  const items = useItems(rows, textOf);
  const more = useRef(onMore);
  useLayoutEffect(() => {
    more.current = onMore;
  });
  const drawn: Drawn = {
    content(id, column) {
      const row = byId.get(id);
      if (row === undefined) return null;
      return isNarrow ? card(row) : <span className="cell-line">{cell(row, column)}</span>;
    },
    mark: (id) => byId.get(id)?.mark,
  };
  const layout = useMemo(
    () => ({
      rowHeight: (isNarrow ? CARD : ROW) * rem,
      headingHeight: HEADING * rem,
    }),
    [isNarrow, rem],
  );

  useImperativeHandle(handle, () => ({ focusRow: (id) => focusRow(state.current, id) }), []);

  const height = rows.length * layout.rowHeight + layout.headingHeight + 2;
  return (
    <DrawnContext value={drawn}>
      <div onKeyDownCapture={onKeyDown} className="data-grid-frame">
        <ResizableTableContainer className="data-grid-scroll" style={{ height }}>
          <Virtualizer layout={TableLayout} layoutOptions={layout}>
            <Table
              ref={table}
              aria-label={label}
              className={`data-grid${isNarrow ? " cards-only" : ""}`}
              selectionMode={onSelect === undefined ? "none" : "multiple"}
              selectedKeys={selection ?? NONE}
              onSelectionChange={(keys) =>
                onSelect?.(new Set(keys === "all" ? rows.map(({ id }) => id) : ([...keys] as string[])))
              }
              sortDescriptor={sort ?? undefined}
              onSortChange={({ column, direction }) => onSort?.({ column: String(column), direction })}
              onRowAction={(key) => {
                const row = byId.get(String(key));
                if (row !== undefined) onOpen?.(row);
              }}
            >
              <Heads
                columns={columns}
                selects={onSelect !== undefined}
                isNarrow={isNarrow}
                rem={rem}
                sort={sort}
                state={state}
                table={table}
                rowCount={rowCount}
              />
              <Rows
                items={items}
                columns={columns}
                selects={onSelect !== undefined}
                hasMore={hasMore && onMore !== undefined}
                more={more}
              />
            </Table>
          </Virtualizer>
        </ResizableTableContainer>
        <p role="status" className="data-grid-reading">
          {isReading && hasMore ? "Reading more…" : ""}
        </p>
      </div>
    </DrawnContext>
  );
}

/** How rows are drawn, by their ids. */
interface Drawn {
  content: (row: string, column: string) => ReactNode;
  mark: (row: string) => number | undefined;
}

const DrawnContext = createContext<Drawn | null>(null);

/** What React Aria knows of a row. */
interface Item {
  id: string;
  text: string;
}

/** Returns an item for each row: the same one for the same id, and the same list for the same ids. */
function useItems<Shown extends GridRow>(
  rows: readonly Shown[],
  textOf: (row: Shown) => string,
): readonly Item[] {
  const before = useRef<readonly Item[]>([]);
  const known = before.current;
  if (known.length !== rows.length || rows.some(({ id }, index) => id !== known[index]?.id)) {
    const byId = new Map(known.map((item) => [item.id, item]));
    before.current = rows.map((row) => byId.get(row.id) ?? { id: row.id, text: textOf(row) });
  }
  return before.current;
}

/*
 * React Aria makes its collection again as a whole, in time that grows with the rows, whenever something of the header or of the rows is rendered.
 * So these two are rendered only when rows come, go or move, and columns change. What cells contain changes without them, by the context.
 */

const Heads = memo(function Heads({
  columns,
  selects,
  isNarrow,
  rem,
  sort,
  ...inside
}: {
  columns: readonly GridColumn[];
  selects: boolean;
  isNarrow: boolean;
  rem: number;
  sort: GridSort | null;
} & InsideProps) {
  return (
    <TableHeader className="data-grid-head">
      {selects ? (
        <Column id={SELECT} width={2.75 * rem} className="data-grid-column select-column">
          <SelectBox />
        </Column>
      ) : null}
      <Collection items={columns} dependencies={[sort, rem]}>
        {(column) => (
          <Head column={column} isNarrow={isNarrow} rem={rem}>
            {column === columns[0] ? <Inside {...inside} /> : null}
          </Head>
        )}
      </Collection>
    </TableHeader>
  );
});

const Rows = memo(function Rows({
  items,
  columns,
  selects,
  hasMore,
  more,
}: {
  items: readonly Item[];
  columns: readonly GridColumn[];
  selects: boolean;
  hasMore: boolean;
  more: RefObject<(() => void) | undefined>;
}) {
  return (
    <TableBody>
      <Collection items={items} dependencies={[columns, selects]}>
        {({ id: row, text }) => (
          <Row id={row} textValue={text} className="data-grid-row">
            {selects ? (
              <Cell className="data-grid-cell select-column">
                <SelectBox />
              </Cell>
            ) : null}
            {columns.map(({ id, align = "start" }) => (
              <Cell key={id} className={`data-grid-cell ${align}`} textValue={text}>
                <Content row={row} column={id} />
              </Cell>
            ))}
          </Row>
        )}
      </Collection>
      {/* It is never loading: React Aria's row for that has an attribute that rows of a grid do not have. */}
      {hasMore ? <TableLoadMoreItem isLoading={false} onLoadMore={() => more.current?.()} /> : null}
    </TableBody>
  );
});

/** The content of a cell, and the mark of a row that has just changed. */
function Content({ row, column }: { row: string; column: string }) {
  const drawn = useContext(DrawnContext);
  const mark = drawn?.mark(row);
  return (
    <>
      {drawn?.content(row, column)}
      {mark === undefined ? null : <span className={`cell-mark mark-${mark % 2}`} aria-hidden />}
    </>
  );
}

/** The id of the column with the boxes that select. */
const SELECT = "\u0000select";
const NONE: GridSelection = new Set();

type State = NonNullable<ReturnType<typeof useGridState>>;
const useGridState = () => useContext(TableStateContext);

function focusRow(state: State | null, id: string): boolean {
  if (state === null || state.collection.getItem(id) === null) return false;
  state.selectionManager.setFocused(true);
  state.selectionManager.setFocusedKey(id);
  return true;
}

const SelectBox = () => (
  <Checkbox slot="selection" className="toggle grid-toggle">
    {({ isSelected, isIndeterminate }) => (
      <span className="box">
        {isIndeterminate ? <Minus aria-hidden /> : isSelected ? <Check aria-hidden /> : null}
      </span>
    )}
  </Checkbox>
);

/** The header of a column. The first one, which names the rows, has `children`. */
function Head({
  column: { id, label, isSortable = false, width, minWidth = 5, align = "start" },
  isNarrow,
  rem,
  children,
}: {
  column: GridColumn;
  isNarrow: boolean;
  rem: number;
  children: ReactNode;
}) {
  return (
    <Column
      id={id}
      isRowHeader={children !== null}
      allowsSorting={isSortable}
      textValue={label}
      className={`data-grid-column ${align}`}
      defaultWidth={width === undefined ? "1fr" : width * rem}
      minWidth={isNarrow ? 0 : minWidth * rem}
    >
      {({ sortDirection }) => (
        <>
          {children}
          <span className="head-name" tabIndex={-1}>
            <bdi>{label}</bdi>
            {sortDirection === undefined ? null : sortDirection === "ascending" ? (
              <ArrowUp aria-hidden />
            ) : (
              <ArrowDown aria-hidden />
            )}
          </span>
          {isNarrow ? null : <ColumnResizer aria-label="Width of the column" className="head-resizer" />}
        </>
      )}
    </Column>
  );
}

interface InsideProps {
  state: RefObject<State | null>;
  table: RefObject<HTMLElement | null>;
  rowCount: RefObject<number>;
}

/** Stands in the table, where React Aria gives its state. Keeps the state, and the number of rows, of which React Aria counts those that are read. */
function Inside({ state, table, rowCount }: InsideProps) {
  const current = useGridState();
  useLayoutEffect(() => {
    state.current = current;
    table.current?.setAttribute("aria-rowcount", String(rowCount.current));
  });
  return null;
}

/** The keys that React Aria does not have. Those with a modifier stay with the browser, but for Ctrl End. */
function useKeys<Shown extends GridRow>(
  { rows, columns, selection = NONE, onOpen, onEdit, onDelete, hasMore, readAll }: GridProps<Shown>,
  table: RefObject<HTMLElement | null>,
  state: RefObject<State | null>,
) {
  const keyCount = useRef(0);
  return (event: KeyboardEvent) => {
    keyCount.current++;
    const key = state.current?.selectionManager.focusedKey ?? null;
    const focused = key === null ? null : (state.current?.collection.getItem(key) ?? null);
    if (focused === null || !table.current?.contains(event.target as Node)) return;
    const isCell = focused.type === "cell";
    const row = rows.find(({ id }) => id === (isCell ? focused.parentKey : focused.key));
    if (row === undefined) return;
    const isModified = event.ctrlKey || event.metaKey;
    const handled = (): boolean => {
      if (event.key === "End" && hasMore && readAll !== undefined && (isModified || !isCell)) {
        const count = keyCount.current;
        void readAll().then((last) => {
          // If the person has pressed another key meanwhile, the focus stays where they have moved it.
          if (last !== null && count === keyCount.current)
            requestAnimationFrame(() => focusRow(state.current, last));
        });
        return true;
      }
      if (isModified || event.altKey || event.shiftKey) return false;
      const isBox = (event.target as HTMLElement).closest("label") !== null;
      if (event.key === "Enter" && !isBox && onOpen !== undefined) onOpen(row);
      else if (event.key === "F2" && onEdit !== undefined) {
        const at = isCell ? (focused.column?.key ?? null) : null;
        const column = columns.find(({ id }) => id === at) ?? columns[0];
        if (column === undefined) return false;
        onEdit(row, column.id);
      } else if (event.key === "Delete" && onDelete !== undefined)
        onDelete(selection.has(row.id) ? rows.filter(({ id }) => selection.has(id)) : [row]);
      else return false;
      return true;
    };
    if (!handled()) return;
    event.preventDefault();
    event.stopPropagation();
  };
}

const narrow = matchMedia(`(max-width: ${NARROW}rem)`);

const useNarrow = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener);
      return () => narrow.removeEventListener("change", listener);
    },
    () => narrow.matches,
  );

/** Returns the size of a rem in px, which the person sets in the browser. */
const useRem = (): number =>
  useMemo(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize), []);

import type { CollectionPolicy } from "@easel/protocol/policy";
import type { Rights } from "@easel/protocol/types";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Columns3, Plus, Trash2, X } from "lucide-react";
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { refusalOf } from "../../../api/api-error.ts";
import { dataQuery, meQuery, queries } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import type { Canvas } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import {
  DataGrid,
  type GridColumn,
  type GridHandle,
  type GridSelection,
  type GridSort,
} from "../../../kit/DataGrid.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { focusContent } from "../../../kit/focus.ts";
import { Loading } from "../../../kit/Loading.tsx";
import { Time } from "../../../kit/Time.tsx";
import { countOf } from "../../../kit/words.ts";
import { deleteLater } from "../deletions.ts";
import { LiveLine } from "../LiveLine.tsx";
import { Person } from "../Person.tsx";
import {
  AUTHOR,
  cellText,
  columnsIn,
  columnsOfText,
  type FoundColumn,
  inColumn,
  type Kind,
  labelOf,
  nameOf,
  shownAtFirst,
  textOfColumns,
  UPDATED,
  VALUE,
} from "./columns.ts";
import { NEWEST, orderOfText, whereOf } from "./conditions.ts";
import type { Doomed } from "./DeleteDialog.tsx";
import { FilterBar } from "./FilterBar.tsx";
import { NoRecords } from "./NoRecords.tsx";
import type { RecordRow } from "./records.ts";
import { whyHidden, whyNot } from "./refusals.ts";
import { useRecords } from "./use-records.ts";

// What not every visit needs is loaded when it is opened.
const RecordPanel = lazy(async () => ({ default: (await import("./RecordPanel.tsx")).RecordPanel }));
const ColumnsDialog = lazy(async () => ({ default: (await import("./ColumnsDialog.tsx")).ColumnsDialog }));
const DeleteDialog = lazy(async () => ({ default: (await import("./DeleteDialog.tsx")).DeleteDialog }));

/** The most records whose deletion is undone by a message. More are asked about. */
const MAX_UNDONE = 20;

const NO_ROWS: GridSelection = new Set();

/** The records of a collection as a grid, and one of them in a panel. */
export function Records({
  canvas,
  name,
  policy,
  rights,
  count,
}: {
  canvas: Canvas;
  name: string;
  policy: CollectionPolicy;
  rights: Rights;
  /** The number of records of all people. */
  count: number;
}) {
  const search = useSearch({ from: "/canvases/$id/data" });
  const navigate = useNavigate({ from: "/canvases/$id/data" });
  const { data: me } = useQuery(meQuery);
  const order = orderOfText(search.order);
  const { list, state, conditions, isStale } = useRecords(canvas.id, name, search.where, order);
  const { rows } = state;
  const [selection, setSelection] = useState<GridSelection>(NO_ROWS);
  const [asked, setAsked] = useState<readonly Doomed[] | "all" | null>(null);
  const [isChoosing, setChoosing] = useState(false);
  const [edited, setEdited] = useState<string | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const grid = useRef<GridHandle>(null);
  const collection = runtimeOf(canvas.id).kv.collection(name);

  // Found once: columns that come and go while somebody reads would be a nuisance.
  const found = useFound(rows);
  const shown = useMemo(() => columnsOfText(search.columns) ?? shownAtFirst(found), [search.columns, found]);
  const columns = useMemo(() => shown.map((id) => gridColumnOf(id, found)), [shown, found]);

  const change = (to: Partial<typeof search>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...to }), replace });
  /** Moves the focus to a row, once it is drawn, or to the screen if there is none. */
  const focusRow = (id: string | undefined) =>
    requestAnimationFrame(() => {
      if (id === undefined || !grid.current?.focusRow(id)) focusContent();
    });
  const open = (id: string, field: string | null = null) => {
    setEdited(field);
    change({ record: id });
  };
  const close = () => {
    focusRow(search.record);
    change({ record: undefined });
  };

  const remove = (doomed: readonly Doomed[]) => {
    setFailure(null);
    const refusal = doomed
      .map(({ authorId }) => whyNot(rights, "delete", authorId === me?.id))
      .find((why) => why !== null);
    if (refusal !== undefined) return setFailure(new Error(refusal));
    if (doomed.length > MAX_UNDONE) return setAsked(doomed);
    const ids = doomed.map(({ id }) => id);
    setSelection(new Set([...selection].filter((id) => !ids.includes(id))));
    if (search.record !== undefined && ids.includes(search.record)) {
      // The panel goes, and the focus that is in it moves on.
      focusRow(rows[rows.findIndex(({ id }) => id === search.record) + 1]?.id ?? rows.at(-2)?.id);
      change({ record: undefined });
    }
    deleteLater(`Deleted ${countOf(ids.length, "record")}.`, {
      ids,
      isForGood: true,
      send: (id) => collection.delete(id),
      onUndone: () => focusRow(ids[0]),
      onSent(error) {
        if (error !== null) setFailure(error);
        void queries.invalidateQueries({ queryKey: dataQuery(canvas.id).queryKey });
      },
    });
  };

  const refusal = state.error === null ? null : refusalOf(state.error);
  const isRefused = refusal !== null && (refusal.status === 403 || refusal.status === 404);
  const hidden = whyHidden(rights, policy);
  const cannotAdd = whyNot(rights, "create", true);
  const sort = useMemo(() => sortOf(order), [order]);
  const isOpen = search.record !== undefined;
  return (
    <div className={`records${isOpen ? " with-panel" : ""}`}>
      <section className="records-list" aria-label={`Records of ${name}`}>
        <header className="records-head">
          <div>
            <h2>
              <bdi>{name}</bdi>
            </h2>
            <p className="small soft">
              {countOf(count, "record")} of all people, preset{" "}
              <Link to="/canvases/$id/backend" params={{ id: canvas.id }}>
                {policy.preset}
              </Link>
              {policy.overrides === undefined ? "" : ", changed"}
            </p>
          </div>
          <div className="records-acts">
            <Button look="quiet" icon={<Columns3 aria-hidden />} onPress={() => setChoosing(true)}>
              Columns
            </Button>
            {rows.length === 0 || !rights.delete.own ? null : (
              <Button look="quiet" icon={<Trash2 aria-hidden />} onPress={() => setAsked("all")}>
                Delete all
              </Button>
            )}
            {cannotAdd === null ? (
              <Button look="primary" icon={<Plus aria-hidden />} onPress={() => open("new")}>
                New record
              </Button>
            ) : null}
          </div>
        </header>
        {hidden === null ? null : <p className="note small">{hidden}</p>}
        {cannotAdd === null ? null : <p className="small soft">{cannotAdd}</p>}
        <FilterBar
          canvas={canvas.id}
          name={name}
          found={found}
          rows={rows}
          conditions={conditions}
          order={order}
          onConditions={(conditions) => change({ where: whereOf(conditions) })}
          onOrder={(order) => change({ order: order === NEWEST ? undefined : order })}
        />
        <LiveLine canvas={canvas.id} error={state.watchError} />
        <div role="status" className="records-fresh">
          {state.fresh > 0 ? (
            <p className="note good">
              {countOf(state.fresh, "new record")}:{" "}
              <Button onPress={() => void list.showFresh()}>show</Button>
            </p>
          ) : null}
        </div>
        {state.error === null ? null : (
          <ErrorNote error={state.error}>
            {isRefused ? null : (
              <p>
                <Button onPress={() => void list.refresh()}>Read again</Button>
              </p>
            )}
          </ErrorNote>
        )}
        {failure === null ? null : <ErrorNote error={failure} />}
        {isRefused ? null : !state.isLoaded ? (
          <Loading what="the records" />
        ) : rows.length === 0 && !state.hasMore ? (
          state.error !== null ? null : (
            <NoRecords
              name={name}
              isFiltered={conditions.length > 0}
              isHidden={hidden !== null && count > 0}
              order={order}
              onClear={() => change({ where: undefined, order: undefined })}
            />
          )
        ) : (
          <div className={isStale ? "stale" : ""}>
            <DataGrid
              label={`Records of ${name}`}
              columns={columns}
              rows={rows}
              cell={(row, column) => (
                <CellOf
                  canvas={canvas.id}
                  row={row}
                  column={column}
                  kinds={found.find(({ id }) => id === column)?.kinds ?? []}
                  isFirst={column === shown[0]}
                />
              )}
              card={(row) => <Card canvas={canvas.id} row={row} columns={shown} />}
              textOf={({ value }) => nameOf(value)}
              sort={sort}
              onSort={({ column, direction }) =>
                change({ order: `${direction === "descending" ? "-" : ""}${column}` })
              }
              selection={selection}
              onSelect={setSelection}
              onOpen={({ id }) => open(id)}
              onEdit={({ id }, column) => open(id, column)}
              onDelete={remove}
              hasMore={state.hasMore}
              isReading={state.isReading}
              onMore={list.more}
              readAll={list.readAll}
              handle={grid}
            />
          </div>
        )}
        {selection.size === 0 ? null : (
          <SelectionBar
            rows={rows.filter(({ id }) => selection.has(id))}
            onDelete={remove}
            onClear={() => setSelection(NO_ROWS)}
          />
        )}
      </section>
      {search.record === undefined ? null : (
        <Suspense fallback={<Loading what="the record" />}>
          <RecordPanel
            key={search.record}
            canvas={canvas}
            name={name}
            id={search.record === "new" ? null : search.record}
            row={rows.find(({ id }) => id === search.record)}
            rights={rights}
            found={found}
            list={list}
            edited={edited}
            onClose={close}
            onCreated={(id) => change({ record: id }, true)}
            onDelete={(row) => remove([row])}
          />
        </Suspense>
      )}
      <Suspense>
        {isChoosing ? (
          <ColumnsDialog
            found={found}
            shown={shown}
            onChange={(columns) => change({ columns: textOfColumns(columns) }, true)}
            onClose={() => setChoosing(false)}
          />
        ) : null}
        {asked === null ? null : (
          <DeleteDialog
            canvas={canvas.id}
            asked={asked}
            isFiltered={conditions.length > 0}
            collection={collection}
            list={list}
            onClose={() => setAsked(null)}
            onDone={() => setSelection(NO_ROWS)}
          />
        )}
      </Suspense>
    </div>
  );
}

/** Returns the columns of the first rows that were read. They are found again only while there are none. */
function useFound(rows: readonly RecordRow[]): readonly FoundColumn[] {
  const [found, setFound] = useState<readonly FoundColumn[]>([]);
  if (found.length > 0 || rows.length === 0) return found;
  const first = columnsIn(rows.map(({ value }) => value));
  setFound(first);
  return first;
}

function gridColumnOf(id: string, found: readonly FoundColumn[]): GridColumn {
  const kinds = found.find((each) => each.id === id)?.kinds ?? [];
  const isNumber = kinds.length === 1 && kinds[0] === "number";
  const isShort = kinds.length > 0 && kinds.every((kind) => ["number", "boolean", "null"].includes(kind));
  const isField = id.startsWith("value.");
  return {
    id,
    label: labelOf(id),
    isSortable: id === UPDATED || isField,
    ...(isField || id === VALUE ? (isShort ? { width: 7 } : { minWidth: 11 }) : { width: 9 }),
    align: isNumber ? "end" : "start",
  };
}

function sortOf(order: string): GridSort | null {
  const column = order.replace(/^-/, "");
  if (column === "createdAt") return null;
  return { column, direction: order.startsWith("-") ? "descending" : "ascending" };
}

/** What a cell shows: texts as texts, whatever they contain. The first cell names the row, also if the record does not have its field. */
function CellOf({
  canvas,
  row,
  column,
  kinds,
  isFirst,
}: {
  canvas: string;
  row: RecordRow;
  column: string;
  kinds: readonly Kind[];
  isFirst: boolean;
}) {
  if (column === AUTHOR) return <Person canvas={canvas} id={row.authorId} />;
  if (column === UPDATED) return <Time at={row.updatedAt} />;
  const value = inColumn(row.value, column);
  if (value === undefined) return isFirst ? <bdi className="soft">{nameOf(row.value)}</bdi> : null;
  if (value === null) return <span className="soft">null</span>;
  const isMixed = kinds.filter((kind) => kind !== "null").length > 1;
  return <bdi>{cellText(value, isMixed)}</bdi>;
}

/** A row where there is no room for columns. */
const Card = ({ canvas, row, columns }: { canvas: string; row: RecordRow; columns: readonly string[] }) => {
  const name = nameOf(row.value);
  const others = columns
    .map((column) => [column, inColumn(row.value, column)] as const)
    .filter(([, value]) => value !== undefined && value !== null && cellText(value) !== name)
    .slice(0, 3);
  return (
    <span className="record-card">
      <strong className="cell-line">
        <bdi>{name}</bdi>
      </strong>
      <span className="cell-line">
        {others.map(([column, value]) => (
          <span key={column}>
            <span className="soft">
              <bdi>{labelOf(column)}</bdi>
            </span>{" "}
            <bdi>{cellText(value ?? null)}</bdi>
          </span>
        ))}
      </span>
      <span className="cell-line soft small">
        <Person canvas={canvas} id={row.authorId} />, <Time at={row.updatedAt} />
      </span>
    </span>
  );
};

/** What can be done with the selected records. */
const SelectionBar = ({
  rows,
  onDelete,
  onClear,
}: {
  rows: readonly RecordRow[];
  onDelete: (rows: readonly RecordRow[]) => void;
  onClear: () => void;
}) => (
  <section className="records-selection" aria-label="Selected records">
    <strong>{countOf(rows.length, "record")} selected</strong>
    <Button look="danger" icon={<Trash2 aria-hidden />} onPress={() => onDelete(rows)}>
      Delete
    </Button>
    <Button look="quiet" icon={<X aria-hidden />} onPress={onClear}>
      Clear
    </Button>
  </section>
);

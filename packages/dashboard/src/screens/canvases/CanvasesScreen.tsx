import "./canvases.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { restoreCanvas } from "../../api/canvas-acts.ts";
import type { ListedCanvas } from "../../api/types.ts";
import { LISTS, type ListName, type ListSearch } from "../../canvas/list-search.ts";
import { listQuery, rowGone } from "../../canvas/lists.ts";
import { isEditor } from "../../canvas/state.ts";
import { readPreference, storePreference } from "../../frame/preferences.ts";
import { Button } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { countOf } from "../../kit/words.ts";
import { CanvasGrid, focusRow, type Selection } from "./CanvasGrid.tsx";
import { CanvasRow, TrashRow } from "./CanvasRow.tsx";
import { DraftStrip } from "./DraftStrip.tsx";
import { ListControls } from "./ListControls.tsx";
import type { View } from "./layout.ts";
import type { Failure } from "./many.ts";
import { NoCanvases } from "./NoCanvases.tsx";
import { type ManyAct, useMany } from "./use-many.ts";

// What is first needed after an act is loaded then.
const RestoreDialog = lazy(() =>
  import("./RestoreDialog.tsx").then(({ RestoreDialog }) => ({ default: RestoreDialog })),
);
const PurgeDialog = lazy(() =>
  import("./PurgeDialog.tsx").then(({ PurgeDialog }) => ({ default: PurgeDialog })),
);
const SelectionBar = lazy(() =>
  import("./SelectionBar.tsx").then(({ SelectionBar }) => ({ default: SelectionBar })),
);

const NAMES: Record<ListName, string> = {
  mine: "Mine",
  shared: "Shared with you",
  organisation: "Organisation",
  trash: "Trash",
};

const NOTHING: Selection = new Set();

/** The canvases of the caller: four lists, which the address selects, filters and sorts. */
export function CanvasesScreen() {
  const search = useSearch({ from: "/" });
  const { list = "mine", q, sort } = search;
  return (
    <Screen title="Canvases">
      <nav className="lists" aria-label="Lists">
        {LISTS.map((name) => (
          <Link
            key={name}
            to="/"
            // A text that is not in this list may be in another one.
            search={{ list: name === "mine" ? undefined : name, q, sort }}
            activeOptions={{ explicitUndefined: true }}
          >
            {NAMES[name]}
          </Link>
        ))}
      </nav>
      <List key={list} list={list} search={search} />
    </Screen>
  );
}

/** Whether the acts of a selection are for the caller. */
const selectable = (list: ListName) => (canvas: ListedCanvas) =>
  list === "mine" || list === "trash" || (list === "shared" && isEditor(canvas));

function List({ list, search }: { list: ListName; search: ListSearch }) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(listQuery(search));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = query;
  const canvases = useMemo(() => data?.pages.flatMap(({ canvases }) => canvases) ?? [], [data]);
  const [view, setView] = useState<View>(() => readPreference("canvases", ["list", "cards"]));
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [toRestore, setToRestore] = useState<ListedCanvas | null>(null);
  const [toPurge, setToPurge] = useState<ListedCanvas | null>(null);
  const [isReadingAll, setReadingAll] = useState(false);
  const { perform, progress, failures, forgetFailures } = useMany();

  const change = (to: ListSearch) =>
    void navigate({ to: "/", search: { ...search, ...to }, replace: true, resetScroll: false });

  const selected = canvases.filter(({ id }) => selection.has(id));
  const act = async (canvases: readonly ListedCanvas[], what: ManyAct) => {
    const left = await perform(canvases, what);
    setSelection(new Set(left));
    focusRow();
  };

  const restore = async (canvas: ListedCanvas) => {
    let taken = false;
    await act([canvas], {
      doing: "Restoring",
      done: "Restored",
      async run({ id }) {
        try {
          await restoreCanvas(id);
          rowGone(id);
        } catch (error) {
          taken = error instanceof ApiError && error.code === "SLUG_TAKEN";
          throw error;
        }
      },
    });
    if (!taken) return;
    forgetFailures();
    setToRestore(canvas);
  };

  const open = (canvas: ListedCanvas) =>
    list === "trash"
      ? void restore(canvas)
      : void navigate({ to: "/canvases/$id", params: { id: canvas.id } });

  const more = useCallback(() => {
    if (!isFetchingNextPage && !error) void fetchNextPage();
  }, [isFetchingNextPage, error, fetchNextPage]);

  const readAll = async (): Promise<number | null> => {
    setReadingAll(true);
    try {
      for (;;) {
        const { data, hasNextPage, isError } = await fetchNextPage({ cancelRefetch: false });
        if (isError) return null;
        if (!hasNextPage) return data?.pages.reduce((sum, page) => sum + page.canvases.length, 0) ?? null;
      }
    } finally {
      setReadingAll(false);
    }
  };

  const canSelect = selectable(list);
  const isFiltered = search.q !== undefined || search.state !== undefined || search.tag !== undefined;
  const isEmpty = query.isSuccess && canvases.length === 0 && !isPlaceholderData;
  const tags = useMemo(() => tagsOf(canvases, search.tag), [canvases, search.tag]);
  return (
    <>
      {isEmpty && !isFiltered ? null : (
        <ListControls
          search={search}
          onChange={change}
          tags={tags}
          view={view}
          onView={(to) => {
            setView(to);
            storePreference("canvases", to);
          }}
        />
      )}
      {list === "mine" && !isFiltered ? <DraftStrip canvases={canvases} /> : null}
      <Failures failures={failures} onClose={forgetFailures} />
      {error === null ? null : (
        <ErrorNote error={error}>
          <div>
            <Button onPress={() => void (data === undefined ? query.refetch() : fetchNextPage())}>
              Try again
            </Button>
          </div>
        </ErrorNote>
      )}
      {query.isPending && error === null ? <Loading what="the canvases" rows={8} /> : null}
      {isEmpty ? <NoCanvases search={search} onChange={change} /> : null}
      {canvases.length === 0 ? null : (
        <CanvasGrid
          label={NAMES[list]}
          canvases={canvases}
          view={view}
          hasMore={hasNextPage}
          onNearEnd={more}
          readAll={readAll}
          selection={selection}
          onSelect={setSelection}
          canSelect={canSelect}
          onOpen={open}
        >
          {(canvas, { isActive, select }) => {
            const row = {
              canvas,
              isActive,
              isSelected: selection.has(canvas.id),
              onSelect: canSelect(canvas) ? select : undefined,
            };
            return list === "trash" ? (
              <TrashRow {...row} onRestore={() => void restore(canvas)} onPurge={() => setToPurge(canvas)} />
            ) : (
              <CanvasRow {...row} />
            );
          }}
        </CanvasGrid>
      )}
      <p role="status" className={isReadingAll ? "small soft" : "hidden-text"}>
        {isReadingAll ? `Reading the rest of the list: ${countOf(canvases.length, "row")} so far.` : ""}
      </p>
      {selected.length === 0 ? null : (
        <Suspense>
          <SelectionBar
            selected={selected}
            isTrash={list === "trash"}
            progress={progress}
            onAct={(what) => void act(selected, what)}
            onClear={() => {
              setSelection(NOTHING);
              focusRow();
            }}
          />
        </Suspense>
      )}
      {toRestore === null ? null : (
        <Suspense>
          <RestoreDialog canvas={toRestore} onClose={() => setToRestore(null)} />
        </Suspense>
      )}
      {toPurge === null ? null : (
        <Suspense>
          <PurgeDialog canvas={toPurge} onClose={() => setToPurge(null)} />
        </Suspense>
      )}
    </>
  );
}

/** Returns the tags of the canvases that were read, and the one that is chosen, in alphabetical order. */
const tagsOf = (canvases: readonly ListedCanvas[], chosen: string | undefined): string[] =>
  [...new Set([...canvases.flatMap(({ tags }) => tags), ...(chosen === undefined ? [] : [chosen])])].sort(
    (a, b) => a.localeCompare(b),
  );

/** The canvases that an act did not change, each with the reason. */
function Failures({ failures, onClose }: { failures: readonly Failure[]; onClose: () => void }) {
  if (failures.length === 0) return null;
  return (
    <div className="note bad failures" role="alert">
      <p>{countOf(failures.length, "act")} failed. Nothing was changed there:</p>
      <ul>
        {failures.map(({ id, title, error }) => (
          <li key={id} className="small">
            <strong>
              <bdi>{title}</bdi>
            </strong>
            : {error.message}
          </li>
        ))}
      </ul>
      <div>
        <Button onPress={onClose}>Close</Button>
      </div>
    </div>
  );
}

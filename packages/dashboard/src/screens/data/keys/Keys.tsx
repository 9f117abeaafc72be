import "./keys.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { KeyRound, Plus, SearchX } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { refusalOf } from "../../../api/api-error.ts";
import { dataQuery, queries } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import type { Canvas } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { DataGrid, type GridColumn, type GridHandle, type GridSelection } from "../../../kit/DataGrid.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { SearchField } from "../../../kit/SearchField.tsx";
import { useSettled } from "../../../kit/useSettled.ts";
import { countOf } from "../../../kit/words.ts";
import { Code } from "../Code.tsx";
import { deleteLater, useHiddenIds } from "../deletions.ts";
import { LiveLine } from "../LiveLine.tsx";
import type { PartProps } from "../parts.ts";
import { SidePanel, Split } from "../SidePanel.tsx";
import { createKeyList, type KeyRow } from "./key-list.ts";

// Loaded when they are needed first.
const KeyEditor = lazy(async () => ({ default: (await import("./KeyEditor.tsx")).KeyEditor }));
const NewKey = lazy(async () => ({ default: (await import("./KeyEditor.tsx")).NewKey }));

const COLUMNS: readonly GridColumn[] = [
  { id: "key", label: "Key" },
  { id: "value", label: "Value" },
  { id: "size", label: "Size", width: 6, align: "end" },
];

/** The most keys that can be selected for a deletion with Undo. More are deleted in several steps. */
const MAX_UNDONE = 20;
const NONE: GridSelection = new Set();

/** The keys that all people share. */
export const SharedKeys = ({ canvas, summary }: PartProps) => (
  <Keys canvas={canvas} isOwn={false} count={summary.kv} />
);

/** The keys that only the person themself can read. */
export const OwnKeys = ({ canvas, summary }: PartProps) => (
  <Keys canvas={canvas} isOwn count={summary.kvUser} />
);

function Keys({ canvas, isOwn, count }: { canvas: Canvas; isOwn: boolean; count: number }) {
  const { q = "", item } = useSearch({ from: "/canvases/$id/data" });
  const navigate = useNavigate({ from: "/canvases/$id/data" });
  const { kv } = runtimeOf(canvas.id);
  const scope = isOwn ? kv.user : kv;
  const [typed, setTyped] = useState(q);
  const prefix = useSettled(typed);
  const list = useMemo(() => {
    const { kv } = runtimeOf(canvas.id);
    return createKeyList(isOwn ? kv.user : kv, prefix);
  }, [canvas.id, isOwn, prefix]);
  useEffect(() => list.start(), [list]);
  const state = useSyncExternalStore(list.subscribe, list.getState);
  const [selection, setSelection] = useState<GridSelection>(NONE);
  const [failure, setFailure] = useState<Error | null>(null);
  const grid = useRef<GridHandle>(null);
  const prefixOfIds = `${isOwn ? "own-key" : "key"} ${canvas.id} `;
  const hidden = useHiddenIds();
  const rows = useMemo(
    () => state.rows.filter(({ id }) => !hidden.has(prefixOfIds + id)),
    [state.rows, hidden, prefixOfIds],
  );

  useEffect(() => {
    if (prefix !== q)
      void navigate({ search: (before) => ({ ...before, q: prefix || undefined }), replace: true });
  }, [prefix, q, navigate]);

  const open = (key: string | undefined, replace = false) =>
    void navigate({
      search: (before) => ({ ...before, item: key === undefined ? undefined : `=${key}` }),
      replace,
    });
  const close = () => {
    open(undefined);
    const key = keyOf(item);
    if (key !== null) requestAnimationFrame(() => grid.current?.focusRow(key));
  };
  const changed = () => void queries.invalidateQueries({ queryKey: dataQuery(canvas.id).queryKey });

  const remove = (keys: readonly string[]) => {
    setFailure(null);
    if (keys.length > MAX_UNDONE)
      return setFailure(
        new Error(`Up to ${MAX_UNDONE} keys are deleted at a time, so that it can be undone. Select fewer.`),
      );
    setSelection(new Set([...selection].filter((key) => !keys.includes(key))));
    if (keys.includes(keyOf(item) ?? "")) open(undefined);
    const [first = ""] = keys;
    deleteLater(`Deleted ${countOf(keys.length, "key")}.`, {
      ids: keys.map((key) => prefixOfIds + key),
      isForGood: false,
      send: (id) => scope.delete(id.slice(prefixOfIds.length)),
      onUndone: () => requestAnimationFrame(() => grid.current?.focusRow(first)),
      onSent(error) {
        if (error !== null) setFailure(error);
        changed();
      },
    });
  };

  const isRefused = [403, 404].includes((state.error && refusalOf(state.error)?.status) ?? 0);
  const isNew = item === "new";
  const key = keyOf(item);
  const panel =
    !isNew && key === null ? null : (
      <SidePanel key={item} title={isNew ? "New key" : key} what="key" onClose={close}>
        <Suspense fallback={<Loading what="the editor" />}>
          {key === null ? (
            <NewKey
              scope={scope}
              list={list}
              prefix={prefix}
              onOpen={(key) => open(key, true)}
              onStored={changed}
            />
          ) : (
            <KeyEditor
              canvas={canvas.id}
              isOwn={isOwn}
              name={key}
              scope={scope}
              list={list}
              onDelete={() => remove([key])}
            />
          )}
        </Suspense>
      </SidePanel>
    );

  return (
    <Split panel={panel}>
      <header className="part-head">
        <div>
          <h2>{isOwn ? "Your keys" : "Shared keys"}</h2>
          <p className="small soft">
            {isOwn
              ? `Each person has keys of their own, which nobody else can read, not even you. These are yours. All people together have ${countOf(count, "key")}.`
              : `${countOf(count, "key")}. Everyone who may open the canvas reads them; owner and editors change them.`}
          </p>
        </div>
        <div className="part-acts">
          <Button
            look="primary"
            icon={<Plus aria-hidden />}
            onPress={() => void navigate({ search: (before) => ({ ...before, item: "new" }) })}
          >
            New key
          </Button>
        </div>
      </header>
      <div className="key-search">
        <SearchField label="Keys that begin with" value={typed} onChange={setTyped} />
      </div>
      <LiveLine canvas={canvas.id} error={state.watchError} />
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
      {!state.isLoaded ? (
        <Loading what="the keys" />
      ) : rows.length === 0 && !state.hasMore ? (
        state.error !== null ? null : (
          <NoKeys isOwn={isOwn} prefix={prefix} onClear={() => setTyped("")} />
        )
      ) : (
        <DataGrid<KeyRow>
          label={isOwn ? "Your keys" : "Shared keys"}
          columns={COLUMNS}
          rows={rows}
          cell={(row, column) =>
            column === "key" ? (
              <bdi>{row.id}</bdi>
            ) : column === "value" ? (
              <bdi className="mono">{row.line}</bdi>
            ) : (
              bytesOf(row.bytes)
            )
          }
          card={(row) => (
            <span className="key-card">
              <bdi>{row.id}</bdi>
              <bdi className="mono cell-line">{row.line}</bdi>
              <span className="small soft">{bytesOf(row.bytes)}</span>
            </span>
          )}
          textOf={({ id }) => id}
          selection={selection}
          onSelect={setSelection}
          onOpen={({ id }) => open(id)}
          onEdit={({ id }) => open(id)}
          onDelete={(doomed) => remove(doomed.map(({ id }) => id))}
          hasMore={state.hasMore}
          isReading={state.isReading}
          onMore={list.more}
          readAll={list.readAll}
          handle={grid}
        />
      )}
      {selection.size === 0 ? null : (
        <div className="part-acts" role="status">
          {countOf(selection.size, "key")} selected
          <Button look="danger" onPress={() => remove([...selection])}>
            Delete
          </Button>
          <Button onPress={() => setSelection(NONE)}>Clear the selection</Button>
        </div>
      )}
    </Split>
  );
}

/** Returns the key that is open, or null if none is. In the address it has an equals sign before it, so that no key is "new". */
const keyOf = (item: string | undefined): string | null => (item?.startsWith("=") ? item.slice(1) : null);

function NoKeys({ isOwn, prefix, onClear }: { isOwn: boolean; prefix: string; onClear: () => void }) {
  if (prefix !== "")
    return (
      <Empty
        icon={<SearchX aria-hidden />}
        title="No key begins like this"
        acts={<Button onPress={onClear}>Clear the search</Button>}
      />
    );
  return (
    <Empty icon={<KeyRound aria-hidden />} title={isOwn ? "You have no keys here" : "No key yet"}>
      <p>The page of this canvas writes the first one with one line of its script:</p>
      <Code
        text={
          isOwn
            ? 'await easel.kv.user.set("theme", "dark");'
            : 'await easel.kv.set("greeting", { text: "Hello" });'
        }
      />
      {isOwn ? null : (
        <p>
          For lists of records, name a collection in <code>easel.json</code>.{" "}
          <a href="/docs/easel-json.md" target="_blank" rel="noopener">
            How data works
          </a>
        </p>
      )}
    </Empty>
  );
}

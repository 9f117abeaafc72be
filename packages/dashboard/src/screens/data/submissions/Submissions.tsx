import "./submissions.css";
import type { Json } from "@easel/protocol/types";
import type { Submission, SubmissionPage } from "@easel/sdk";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ClipboardList, Download, Trash2 } from "lucide-react";
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { canvasKey, dataQuery, meQuery, queries } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import { Button } from "../../../kit/Button.tsx";
import { DataGrid, type GridColumn, type GridHandle } from "../../../kit/DataGrid.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { Time } from "../../../kit/Time.tsx";
import { countOf } from "../../../kit/words.ts";
import { Code } from "../Code.tsx";
import { deleteLater, useHiddenIds } from "../deletions.ts";
import { Person } from "../Person.tsx";
import type { PartProps } from "../parts.ts";
import { SidePanel, Split } from "../SidePanel.tsx";
import { csvOf } from "./csv.ts";
import { Results } from "./Results.tsx";
import { resultsOf, tableOf } from "./results.ts";
import { saveText } from "./save-text.ts";

// Loaded when they are needed first.
const SubmissionDetails = lazy(async () => ({
  default: (await import("./SubmissionDetails.tsx")).SubmissionDetails,
}));
const DeleteAll = lazy(async () => ({ default: (await import("./DeleteAll.tsx")).DeleteAll }));

/** As many submissions as one request returns. Results are those of all that are read. */
const PAGE = 1_000;
/** The time after which the first page is read again: there is no watch of submissions. */
const AGAIN_MS = 30_000;

const COLUMNS: readonly GridColumn[] = [
  { id: "person", label: "Person", width: 12 },
  { id: "value", label: "Answer" },
  { id: "changed", label: "Changed", width: 9 },
];

/** The most characters of an answer that a cell shows. */
const MAX_CELL = 200;

/** What people have submitted to one collection: the results, and the list of all of it. Each person has one submission. */
export function Submissions({ canvas, summary, name }: PartProps) {
  const { item } = useSearch({ from: "/canvases/$id/data" });
  const navigate = useNavigate({ from: "/canvases/$id/data" });
  const { submissions, people } = runtimeOf(canvas.id);
  const { data: me } = useQuery(meQuery);
  const queryKey = canvasKey(canvas.id, "submissions", name);
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam }) => {
      const page = await submissions.list<Json>(name, { cursor: pageParam, limit: PAGE });
      // The names of a page are few requests, which the cells then find answered.
      void people(page.entries.map(({ userId }) => userId)).catch(() => {});
      return page;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? AGAIN_MS : false),
    gcTime: 60_000,
  });
  const hidden = useHiddenIds();
  const prefixOfIds = `submission ${canvas.id} ${name} `;
  const [failure, setFailure] = useState<Error | null>(null);
  const [asksAll, setAsksAll] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const grid = useRef<GridHandle>(null);
  const all = useMemo(
    () =>
      (data?.pages.flatMap(({ entries }) => entries) ?? []).filter(
        ({ userId }) => !hidden.has(prefixOfIds + userId),
      ),
    [data, hidden, prefixOfIds],
  );
  const rows = useMemo(() => all.map((each) => ({ ...each, id: each.userId })), [all]);
  const results = useMemo(() => resultsOf(all.map(({ value }) => value)), [all]);
  const count = summary.submissions.find((each) => each.name === name)?.entries ?? 0;

  const open = (userId: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, item: userId }) });
  const close = () => {
    open(undefined);
    if (item !== undefined) requestAnimationFrame(() => grid.current?.focusRow(item));
  };
  const changed = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey }),
      queries.invalidateQueries({ queryKey: dataQuery(canvas.id).queryKey }),
    ]);

  const remove = (ids: readonly string[]) => {
    setFailure(null);
    if (item !== undefined && ids.includes(item)) open(undefined);
    const [first = ""] = ids;
    deleteLater(`Deleted ${countOf(ids.length, "submission")}.`, {
      ids: ids.map((id) => prefixOfIds + id),
      isForGood: false,
      async send(id) {
        await submissions.remove(name, id.slice(prefixOfIds.length));
        // The list has it until it is read again.
        await changed();
      },
      onUndone: () => requestAnimationFrame(() => grid.current?.focusRow(first)),
      onSent: setFailure,
    });
  };

  const readAll = async () => {
    let result = await fetchNextPage();
    while (result.hasNextPage && !result.isError) result = await fetchNextPage();
    return result.data?.pages.at(-1)?.entries.at(-1)?.userId ?? null;
  };

  const saveCsv = async () => {
    setSaving(true);
    setFailure(null);
    try {
      const found: Submission<Json>[] = [];
      let cursor: string | null = null;
      do {
        const page: SubmissionPage<Json> = await submissions.list<Json>(name, { cursor, limit: PAGE });
        found.push(...page.entries);
        cursor = page.nextCursor;
      } while (cursor !== null);
      const names = await people(found.map(({ userId }) => userId)).catch(() => new Map());
      const table = tableOf(found.map((each) => ({ ...each, name: names.get(each.userId)?.name ?? null })));
      saveText(csvOf(table), `${name}.csv`, "text/csv;charset=utf-8");
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setSaving(false);
    }
  };

  const shown = item === undefined ? undefined : all.find(({ userId }) => userId === item);
  const panel =
    item === undefined ? null : (
      <SidePanel key={item} title={<Person canvas={canvas.id} id={item} />} what="submission" onClose={close}>
        {shown === undefined ? (
          <p className="note wait" role="status">
            {isFetching
              ? "It is being read…"
              : "This person has no submission here, or it is further down the list."}
          </p>
        ) : (
          <Suspense fallback={<Loading what="the submission" />}>
            <SubmissionDetails submission={shown} onDelete={() => remove([shown.userId])} />
          </Suspense>
        )}
      </SidePanel>
    );

  return (
    <Split panel={panel}>
      <header className="part-head">
        <div>
          <h2>
            <bdi>{name}</bdi>
          </h2>
          <p className="small soft">
            {countOf(count, "submission")}, one for each person. Owner and editors read all of them.
          </p>
        </div>
        {rows.length === 0 ? null : (
          <div className="part-acts">
            <Button icon={<Download aria-hidden />} isPending={isSaving} onPress={saveCsv}>
              Download CSV
            </Button>
            <Button look="danger" icon={<Trash2 aria-hidden />} onPress={() => setAsksAll(true)}>
              Delete all
            </Button>
          </div>
        )}
      </header>
      {error === null ? null : (
        <ErrorNote error={error}>
          <p>
            <Button onPress={() => void refetch()}>Read again</Button>
          </p>
        </ErrorNote>
      )}
      {failure === null ? null : <ErrorNote error={failure} />}
      {data === undefined ? (
        error === null ? (
          <Loading what="the submissions" />
        ) : null
      ) : rows.length === 0 ? (
        <Empty icon={<ClipboardList aria-hidden />} title="No submission">
          <p>The page of this canvas submits for the person who has it open:</p>
          <Code text={`await easel.submissions.set(${JSON.stringify(name)}, { choice: "soup" });`} />
        </Empty>
      ) : (
        <>
          <section className="results" aria-labelledby="results-title">
            <h3 id="results-title">Results</h3>
            {hasNextPage ? (
              <p className="small">
                Of the first {countOf(rows.length, "submission")}.{" "}
                <Button isPending={isFetching} onPress={() => void readAll()}>
                  Read all
                </Button>
              </p>
            ) : null}
            <Results results={results} />
          </section>
          <h3>Answers</h3>
          <DataGrid
            label={`Submissions to ${name}`}
            columns={COLUMNS}
            rows={rows}
            cell={(row, column) =>
              column === "person" ? (
                <Person canvas={canvas.id} id={row.userId} />
              ) : column === "changed" ? (
                <Time at={row.updatedAt} />
              ) : (
                <bdi>{lineOf(row.value)}</bdi>
              )
            }
            card={(row) => (
              <span className="submission-card">
                <Person canvas={canvas.id} id={row.userId} />
                <bdi className="cell-line">{lineOf(row.value)}</bdi>
                <span className="small soft">
                  <Time at={row.updatedAt} />
                </span>
              </span>
            )}
            textOf={({ userId, value }) => (userId === me?.id ? "You" : lineOf(value))}
            onOpen={({ userId }) => open(userId)}
            onDelete={(doomed) => remove(doomed.map(({ userId }) => userId))}
            hasMore={hasNextPage}
            isReading={isFetching}
            onMore={() => void fetchNextPage()}
            readAll={readAll}
            handle={grid}
          />
        </>
      )}
      {asksAll ? (
        <Suspense>
          <DeleteAll
            canvas={canvas.id}
            name={name}
            count={count}
            onClose={() => setAsksAll(false)}
            onDeleted={() => {
              open(undefined);
              return changed();
            }}
          />
        </Suspense>
      ) : null}
    </Split>
  );
}

/** Returns a value in one line: the answers of a flat object without its punctuation, all else as it is in JSON. */
function lineOf(value: Json): string {
  const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
  const text = isFields
    ? Object.entries(value)
        .slice(0, MAX_CELL)
        .map(([field, each]) => `${field}: ${typeof each === "string" ? each : JSON.stringify(each)}`)
        .join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}

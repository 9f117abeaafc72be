import "./audit.css";
import "../figures.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Download, ScrollText, X } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { type AuditEntry, auditExportUrl, auditQuery } from "../../../api/instance.ts";
import { throughOf } from "../../../canvas/through.ts";
import { Button, ButtonAnchor } from "../../../kit/Button.tsx";
import { DataGrid, type GridColumn, type GridHandle } from "../../../kit/DataGrid.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { ListSearchField } from "../../../kit/ListSearchField.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { NativeSelect } from "../../../kit/NativeSelect.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { Time } from "../../../kit/Time.tsx";
import { useTyped } from "../../../kit/useTyped.ts";
import { EntryDetails } from "./EntryDetails.tsx";
import { type AuditSearch, filterIn, isFiltered } from "./search.ts";
import { actorOf, KNOWN_ACTS, sentenceOf } from "./sentences.ts";

const COLUMNS: readonly GridColumn[] = [
  { id: "what", label: "What happened", minWidth: 18 },
  { id: "canvas", label: "Canvas", width: 11 },
  { id: "act", label: "Act", width: 11 },
  { id: "when", label: "When", width: 9 },
];

const ANY = "";

/** The audit log, the newest entry first: filtered by the address of the screen, each entry as a sentence. */
export function AuditScreen() {
  const search = useSearch({ from: "/admin/audit" });
  const navigate = useNavigate();
  const filter = filterIn(search);
  const query = useInfiniteQuery(auditQuery(filter));
  const { data, error, isPending, isPlaceholderData, isFetching, hasNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ entries }) => entries) ?? [], [data]);
  const grid = useRef<GridHandle>(null);
  const change = (to: Partial<AuditSearch>) =>
    void navigate({
      to: "/admin/audit",
      search: (now) => ({ ...now, ...to }),
      replace: true,
      resetScroll: false,
    });
  // A page can be empty where few entries match: the search goes on until something is found, or all has been searched.
  const isEmptySoFar = rows.length === 0 && hasNextPage && !isPlaceholderData;
  useEffect(() => {
    if (isEmptySoFar && !isFetching && error === null) void fetchNextPage();
  }, [isEmptySoFar, isFetching, error, fetchNextPage]);
  const open = rows.find(({ id }) => id === search.entry);
  const readAll = async (): Promise<string | null> => {
    for (;;) {
      const { data, hasNextPage, isError } = await fetchNextPage({ cancelRefetch: false });
      if (isError) return null;
      if (!hasNextPage) return data?.pages.flatMap(({ entries }) => entries).at(-1)?.id ?? null;
    }
  };
  return (
    <Screen
      title="Audit log"
      acts={
        <>
          <ButtonAnchor icon={<Download aria-hidden />} href={auditExportUrl(filter, "csv")} download>
            Export as CSV
          </ButtonAnchor>
          <ButtonAnchor icon={<Download aria-hidden />} href={auditExportUrl(filter, "jsonl")} download>
            Export as JSON lines
          </ButtonAnchor>
        </>
      }
    >
      <div className="stack audit">
        <Filters search={search} onChange={change} />
        {error === null ? null : (
          <ErrorNote error={error}>
            <div>
              <Button onPress={() => void query.refetch()}>Try again</Button>
            </div>
          </ErrorNote>
        )}
        {open === undefined ? null : (
          <EntryDetails
            entry={open}
            onFilter={(to) => change({ ...to, entry: undefined })}
            onClose={() => {
              change({ entry: undefined });
              grid.current?.focusRow(open.id);
            }}
          />
        )}
        {isPending || (isEmptySoFar && error === null) ? (
          <Loading what="the audit log" rows={8} />
        ) : rows.length === 0 && error === null ? (
          <Empty
            icon={<ScrollText aria-hidden />}
            title={isFiltered(search) ? "No entry matches" : "Nothing has happened yet"}
            acts={
              isFiltered(search) ? (
                <Button onPress={() => void navigate({ to: "/admin/audit", search: {} })}>
                  Clear the filters
                </Button>
              ) : undefined
            }
          >
            <p>Every change by people and programs is recorded here, and stays.</p>
          </Empty>
        ) : (
          <div className={isPlaceholderData ? "stale" : ""}>
            <DataGrid
              label="Entries of the audit log"
              columns={COLUMNS}
              rows={rows}
              cell={cell}
              card={card}
              textOf={(entry) => `${actorOf(entry)}${throughOf(entry.via)} ${sentenceOf(entry)}`}
              onOpen={({ id }) => change({ entry: id })}
              hasMore={hasNextPage}
              isReading={isFetching}
              onMore={() => {
                if (!isFetching) void fetchNextPage();
              }}
              readAll={readAll}
              handle={grid}
            />
          </div>
        )}
      </div>
    </Screen>
  );
}

const What = ({ entry }: { entry: AuditEntry }) => (
  <>
    <bdi className="audit-actor">{actorOf(entry)}</bdi>
    {throughOf(entry.via && { client: entry.via.client })} <bdi>{sentenceOf(entry)}</bdi>
  </>
);

function cell(entry: AuditEntry, column: string) {
  switch (column) {
    case "what":
      return <What entry={entry} />;
    case "act":
      return <code className="small">{entry.act}</code>;
    case "canvas":
      return <bdi>{entry.canvasTitle}</bdi>;
    default:
      return <Time at={entry.at} />;
  }
}

const card = (entry: AuditEntry) => (
  <div className="audit-card">
    <span className="audit-what">
      <What entry={entry} />
    </span>
    <small className="soft">
      <Time at={entry.at} /> · {entry.canvasTitle === null ? entry.act : <bdi>{entry.canvasTitle}</bdi>}
    </small>
  </div>
);

/** The filters. A text is sent a moment after it was typed. */
function Filters({
  search,
  onChange,
}: {
  search: AuditSearch;
  onChange: (to: Partial<AuditSearch>) => void;
}) {
  const acts = [...new Set([...KNOWN_ACTS, ...(search.act === undefined ? [] : [search.act])])];
  return (
    <search className="audit-filters">
      <ListSearchField label="Search all texts" text={search.q ?? ""} onChange={(q) => onChange({ q })} />
      <Who actor={search.actor} onChange={(actor) => onChange({ actor })} />
      <NativeSelect
        label="Act"
        choices={[{ value: ANY, label: "Any act" }, ...acts.map((act) => ({ value: act, label: act }))]}
        value={search.act ?? ANY}
        onChange={(act) => onChange({ act: act === ANY ? undefined : act })}
      />
      <DayField label="From (UTC)" value={search.from} onChange={(from) => onChange({ from })} />
      <DayField label="To (UTC)" value={search.to} onChange={(to) => onChange({ to })} />
      <Chips search={search} onChange={onChange} />
    </search>
  );
}

const CHIPS = { canvas: "Canvas", target: "Object", client: "Program" };

/** The filters that an entry sets, each with a button that ends it. */
function Chips({ search, onChange }: { search: AuditSearch; onChange: (to: Partial<AuditSearch>) => void }) {
  const chips = (["canvas", "target", "client"] as const).filter((name) => search[name] !== undefined);
  if (chips.length === 0) return null;
  return (
    <div className="audit-chips">
      {chips.map((name) => (
        <span key={name} className="audit-chip">
          {CHIPS[name]} <bdi>{search[name]}</bdi>
          <Button
            look="quiet"
            icon={<X aria-hidden />}
            aria-label={`End the filter by ${CHIPS[name].toLowerCase()}`}
            onPress={() => onChange({ [name]: undefined })}
          />
        </span>
      ))}
    </div>
  );
}

function Who({
  actor = "",
  onChange,
}: {
  actor?: string | undefined;
  onChange: (actor: string | undefined) => void;
}) {
  const [typed, setTyped] = useTyped(actor, onChange);
  return (
    <TextField label="Who" placeholder="ada@example.com" value={typed} onChange={setTyped} maxLength={200} />
  );
}

const DayField = ({
  label,
  value = "",
  onChange,
}: {
  label: string;
  value?: string | undefined;
  onChange: (day: string | undefined) => void;
}) => (
  <label className="field audit-day">
    <span>{label}</span>
    <input
      className="input"
      type="date"
      value={value}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
    />
  </label>
);

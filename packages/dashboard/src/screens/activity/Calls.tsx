import { codeOf } from "@easel/protocol/call-hints";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { type ReactNode, useMemo, useRef } from "react";
import type { Call, CallLog, Canvas } from "../../api/types.ts";
import { Button } from "../../kit/Button.tsx";
import { DataGrid, type GridHandle } from "../../kit/DataGrid.tsx";
import { Empty } from "../../kit/Empty.tsx";
import { ListWithDetails } from "../../kit/ListWithDetails.tsx";
import { Reading } from "../../kit/Loading.tsx";
import { NativeSelect } from "../../kit/NativeSelect.tsx";
import { Time } from "../../kit/Time.tsx";
import { Toggle } from "../../kit/Toggle.tsx";
import { countOf } from "../../kit/words.ts";
import { callsQuery } from "./activity-queries.ts";
import { CallDetails } from "./CallDetails.tsx";
import { callerOf, choicesOf, nameOf, personOf, rowsOf, titleOf } from "./calls.ts";
import { useFollowed } from "./useFollowed.ts";

const ALL = "";

const COLUMNS = [
  { id: "call", label: "Call or error" },
  { id: "code", label: "Refused or failed with", width: 15 },
  { id: "who", label: "Who", width: 11 },
  { id: "when", label: "When", width: 9 },
] as const;

/** The columns that have room beside the details of a call. */
const FEW_COLUMNS = COLUMNS.slice(0, 2);

function cellOf(call: Call, column: string) {
  switch (column) {
    case "code":
      return <code className="call-code">{codeOf(call)}</code>;
    case "who":
      return <bdi>{callerOf(call)}</bdi>;
    case "when":
      return <Time at={call.at} />;
    default:
      return <What call={call} />;
  }
}

/** A call by its method and path, or an error of a page by how often it happened, and its message. */
const What = ({ call }: { call: Call }) =>
  call.pageError === null ? (
    <code>{nameOf(call)}</code>
  ) : (
    <>
      {call.pageError.count === 1 ? null : <span className="soft">{call.pageError.count} × </span>}
      <bdi>{nameOf(call)}</bdi>
    </>
  );

/** The calls to the backend of the canvas that were refused or failed, and the errors of its pages, the newest first. */
export function Calls({ canvas }: { canvas: Canvas }) {
  const { id } = canvas;
  const { follow = false } = useSearch({ from: "/canvases/$id/activity" });
  const query = useQuery(callsQuery(id));
  const { data: log } = query;
  const navigate = useNavigate({ from: "/canvases/$id/activity" });
  const followed = useFollowed(id, follow);
  return (
    <div className="stack">
      <Reading query={query} what="the calls" rows={8} />
      {log === undefined ? null : (
        <>
          <p role="status" className={followed.error === null ? "hidden-text" : "note wait"}>
            {followed.error === null
              ? followed.arrived === 0
                ? ""
                : `${countOf(followed.arrived, "new entry", "new entries")} since you began to follow.`
              : `Not following at the moment, trying again: ${followed.error.message}`}
          </p>
          <CallList
            canvas={canvas}
            log={log}
            follow={
              <Toggle
                isSelected={follow}
                onChange={(isOn) =>
                  void navigate({
                    search: (search) => ({ ...search, follow: isOn ? true : undefined }),
                    replace: true,
                    resetScroll: false,
                  })
                }
              >
                Follow new ones
              </Toggle>
            }
          />
        </>
      )}
    </div>
  );
}

function CallList({ canvas, log, follow }: { canvas: Canvas; log: CallLog; follow: ReactNode }) {
  const { code = ALL, person = ALL, open } = useSearch({ from: "/canvases/$id/activity" });
  const navigate = useNavigate({ from: "/canvases/$id/activity" });
  const grid = useRef<GridHandle>(null);
  const rows = useMemo(() => rowsOf(log.entries), [log]);
  const shown = useMemo(
    () =>
      rows.filter(
        (call) => (code === ALL || codeOf(call) === code) && (person === ALL || personOf(call) === person),
      ),
    [rows, code, person],
  );
  const { codes, people } = useMemo(() => choicesOf(rows, { code, person }), [rows, code, person]);
  const opened = rows.find((row) => row.id === open);

  const change = (to: {
    code?: string | undefined;
    person?: string | undefined;
    open?: string | undefined;
  }) => void navigate({ search: (search) => ({ ...search, ...to }), replace: true, resetScroll: false });
  const close = () => {
    change({ open: undefined });
    requestAnimationFrame(() => grid.current?.focusRow(open ?? ""));
  };

  if (rows.length === 0)
    return (
      <Empty icon={<CircleCheck aria-hidden />} title="Nothing went wrong" acts={follow}>
        <p>
          Calls of the page to its backend that are refused or fail are kept here for seven days, each with
          its reason; so are script errors and files that do not load, while you, an editor or a preview has
          the page open.
        </p>
      </Empty>
    );
  return (
    <>
      <div className="row">
        <NativeSelect
          hideLabel
          label="Code"
          choices={[{ value: ALL, label: "All codes" }, ...codes]}
          value={code}
          onChange={(to) => change({ code: to || undefined, open: undefined })}
        />
        <NativeSelect
          hideLabel
          label="Who"
          choices={[{ value: ALL, label: "Everyone" }, ...people]}
          value={person}
          onChange={(to) => change({ person: to || undefined, open: undefined })}
        />
        <small className="soft">{countOf(shown.length, "entry", "entries")}</small>
        {follow}
      </div>
      {log.dropped === 0 ? null : (
        <p className="small soft">
          {countOf(log.dropped, "further one", "further ones")} came too fast to be kept.
        </p>
      )}
      {shown.length === 0 ? (
        <Empty
          icon={<CircleCheck aria-hidden />}
          title="No such entry"
          acts={<Button onPress={() => change({ code: undefined, person: undefined })}>All entries</Button>}
        >
          <p>None of the {countOf(rows.length, "entry", "entries")} is of this code and person.</p>
        </Empty>
      ) : (
        <ListWithDetails
          onClose={close}
          details={
            opened === undefined
              ? null
              : {
                  key: opened.id,
                  title: titleOf(opened),
                  content: <CallDetails call={opened} canvas={canvas} />,
                }
          }
        >
          <DataGrid
            label="Calls that were refused or failed, and errors of pages, the newest first"
            columns={opened === undefined ? COLUMNS : FEW_COLUMNS}
            rows={shown}
            textOf={(call) => `${nameOf(call)}, ${codeOf(call)}, ${callerOf(call)}`}
            cell={cellOf}
            card={(call) => (
              <span className="activity-card">
                <code className="call-code">{codeOf(call)}</code>
                <span className="card-text">
                  <What call={call} />
                </span>
                <small className="soft">
                  <bdi>{callerOf(call)}</bdi>, <Time at={call.at} />
                </small>
              </span>
            )}
            onOpen={({ id }) => change({ open: id })}
            handle={grid}
          />
        </ListWithDetails>
      )}
    </>
  );
}

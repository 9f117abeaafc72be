import "./data.css";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Database } from "lucide-react";
import { Suspense, useEffect } from "react";
import { canvasQuery, dataQuery } from "../../api/queries.ts";
import { runtimeOf, useWaiting } from "../../api/runtime.ts";
import type { Canvas, DataSummary } from "../../api/types.ts";
import { isEditor } from "../../canvas/state.ts";
import { Empty } from "../../kit/Empty.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { useDocumentTitle } from "../../kit/Screen.tsx";
import { DataList, listOf } from "./DataList.tsx";
import { Gate } from "./Gate.tsx";
import { PARTS } from "./parts.ts";
import { partsOfShow } from "./search.ts";

/** The time after which the screen looks whether somebody has changed the policy or the switches. */
const LOOK_MS = 5_000;

/** What a canvas stores, for its owner and editors: a list of all of it, and one part in the rights that the policy gives the person. */
export function DataScreen() {
  const { id } = useParams({ from: "/canvases/$id/data" });
  const { data: canvas } = useSuspenseQuery({ ...canvasQuery(id), refetchInterval: LOOK_MS });
  useDocumentTitle(`Data · ${canvas.title}`);
  if (!isEditor(canvas))
    return (
      <Empty icon={<Database aria-hidden />} title="The data is for the owner and editors">
        <p>The page of the canvas shows you what you may see of it.</p>
      </Empty>
    );
  return <Data canvas={canvas} />;
}

function Data({ canvas }: { canvas: Canvas }) {
  const { data: summary, error } = useQuery(dataQuery(canvas.id));
  return (
    <div className="data-screen">
      <Waiting id={canvas.id} />
      {error === null ? null : <ErrorNote error={error} />}
      {summary !== undefined ? (
        <Stored canvas={canvas} summary={summary} />
      ) : error === null ? (
        <Loading what="what the canvas stores" />
      ) : null}
    </div>
  );
}

function Stored({ canvas, summary }: { canvas: Canvas; summary: DataSummary }) {
  const { show: given } = useSearch({ from: "/canvases/$id/data" });
  const navigate = useNavigate({ from: "/canvases/$id/data" });
  const groups = listOf(summary);
  const entries = groups.flatMap(({ entries }) => entries);
  const show = given ?? (entries.find(({ isEmpty }) => isEmpty !== true) ?? entries[0])?.show ?? "";
  // What is shown stays, also if the list changes.
  useEffect(() => {
    if (given === undefined) void navigate({ search: { show }, replace: true });
  }, [given, show, navigate]);
  const { part: id, name } = partsOfShow(show);
  const part = PARTS.find((each) => each.id === id);
  const shown = part && (
    <Suspense key={show} fallback={<Loading what="the data" />}>
      <part.Component canvas={canvas} summary={summary} name={name} />
    </Suspense>
  );
  const isListed = entries.some((entry) => entry.show === show);
  return (
    <>
      <DataList
        canvas={canvas}
        groups={groups}
        show={show}
        onShow={(show) => void navigate({ search: { show } })}
      />
      <div className="data-part">
        {part === undefined || !isListed ? (
          <Empty icon={<Database aria-hidden />} title="This canvas stores nothing of that name">
            <p>
              Nothing is stored as <bdi>{name === "" ? show : name}</bdi>, and the policy does not have it.
            </p>
          </Empty>
        ) : part.capability === null ? (
          shown
        ) : (
          <Gate canvas={canvas} capability={part.capability}>
            {shown}
          </Gate>
        )}
      </div>
    </>
  );
}

/** Says that calls wait for the rate limit. */
function Waiting({ id }: { id: string }) {
  const isWaiting = useWaiting(runtimeOf(id)) !== null;
  return (
    <div role="status" className="data-waiting">
      {isWaiting ? (
        <p className="note wait">
          You have made nearly as many calls to this canvas as the service takes in a minute. The screen goes
          on by itself within a minute.
        </p>
      ) : null}
    </div>
  );
}

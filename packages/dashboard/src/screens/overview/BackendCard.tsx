import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { callLogQuery } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { failuresOf } from "../../canvas/failures.ts";
import { ButtonLink } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { listOf } from "../../kit/words.ts";

/** The parts of the backend in words. Every page that has one knows who its viewer is. */
const PARTS = {
  kv: "keys and records",
  files: "files",
  realtime: "live messages",
  ai: "AI",
  connections: "external APIs",
  authoring: "making canvases",
} as const;

type Part = keyof typeof PARTS;

const NAMES = Object.keys(PARTS) as Part[];

const partsIn = (parts: Part[]) => listOf(parts.map((part) => PARTS[part]));

/** What the backend of a canvas does, and which calls to it failed in the last day. */
export const BackendCard = ({ canvas }: { canvas: Canvas }) => (
  <section className="card" aria-labelledby="backend">
    <h2 id="backend">Backend</h2>
    <Parts canvas={canvas} />
    <Failed id={canvas.id} />
    <ButtonLink to="/canvases/$id/backend" params={{ id: canvas.id }}>
      Switches and policy
    </ButtonLink>
  </section>
);

function Parts({ canvas: { capabilities, capabilitiesOff } }: { canvas: Canvas }) {
  if (!capabilities.backendEnabled)
    return <p className="soft">Switched off: the page shows its files, and stores nothing.</p>;
  const on = NAMES.filter((part) => capabilitiesOff[part] === undefined);
  const missing = NAMES.filter((part) => capabilitiesOff[part] === "operator_disabled");
  return (
    <>
      <p>{on.length === 0 ? "All parts are switched off." : `On: ${partsIn(on)}.`}</p>
      {missing.length === 0 ? null : (
        <p className="small soft">This service does not offer {partsIn(missing)}.</p>
      )}
    </>
  );
}

function Failed({ id }: { id: string }) {
  const { data: log, error, dataUpdatedAt } = useQuery(callLogQuery(id));
  if (error !== null) return <ErrorNote error={error} />;
  if (log === undefined) return null;
  const failures = failuresOf(log.entries, dataUpdatedAt);
  if (failures.length === 0) return <p className="small soft">Nothing went wrong in the last day.</p>;
  return (
    <div>
      <p>What went wrong in the last day:</p>
      <ul className="failures small">
        {failures.map(({ code, message, count }) => (
          <li key={code}>
            <strong>{count}</strong>
            <span>
              <Link to="/canvases/$id/activity" params={{ id }} search={{ view: "calls", code }}>
                <code>{code}</code>
              </Link>{" "}
              {message === null ? null : <bdi className="soft">{message}</bdi>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

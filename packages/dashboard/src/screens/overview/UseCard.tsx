import { useQuery } from "@tanstack/react-query";
import { usageQuery } from "../../api/queries.ts";
import type { Canvas, Usage } from "../../api/types.ts";
import { tightQuotas } from "../../canvas/quotas.ts";
import { ViewBars } from "../../canvas/ViewBars.tsx";
import { viewsSentence } from "../../canvas/views.ts";
import { ButtonLink } from "../../kit/Button.tsx";
import { bytesOf } from "../../kit/bytes.ts";
import { lastDays } from "../../kit/days.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Meter } from "../../kit/Meter.tsx";

/** How often a canvas is opened, the bytes that it uses, who is connected, and the quotas that fill up. */
export function UseCard({ canvas }: { canvas: Canvas }) {
  const range = lastDays(30, Date.now());
  const { data: usage, error } = useQuery(usageQuery(canvas.id, range));
  return (
    <section className="card" aria-labelledby="use">
      <h2 id="use">Use</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {usage === undefined ? null : (
        <>
          <Opened canvas={canvas} views={usage.views} {...range} />
          <Use usage={usage} />
          <ButtonLink to="/canvases/$id/activity" params={{ id: canvas.id }} search={{ view: "use" }}>
            Use and limits
          </ButtonLink>
        </>
      )}
    </section>
  );
}

/** How often the canvas was opened on each day of a range, and by how many people. */
function Opened({
  canvas,
  views,
  from,
  to,
}: {
  canvas: Canvas;
  views: Usage["views"];
  from: string;
  to: string;
}) {
  if (views === null) return <p className="small soft">This service does not count who opens a canvas.</p>;
  return (
    <>
      <p>{viewsSentence(views, canvas)}</p>
      {views.total === 0 ? null : <ViewBars views={views} from={from} to={to} />}
    </>
  );
}

function Use({ usage: { bytes, counts, realtime } }: { usage: Usage }) {
  const quotas = tightQuotas(counts);
  const people = realtime.people.length;
  return (
    <>
      <p>
        Versions {bytesOf(bytes.versions)}, data {bytesOf(bytes.data)}
      </p>
      {people === 0 ? null : (
        <p className="small soft">{people === 1 ? "One person is" : `${people} people are`} connected now.</p>
      )}
      {quotas.length === 0 ? (
        <p className="small soft">No quota is more than 60 % full.</p>
      ) : (
        quotas.map(({ name, label, amount, share }) => (
          <Meter key={name} label={label} amount={amount} share={share} />
        ))
      )}
    </>
  );
}

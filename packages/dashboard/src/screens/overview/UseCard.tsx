import { useQuery } from "@tanstack/react-query";
import { usageQuery } from "../../api/queries.ts";
import type { Canvas, Usage } from "../../api/types.ts";
import { tightQuotas } from "../../canvas/quotas.ts";
import { bytesOf } from "../../kit/bytes.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Meter } from "../../kit/Meter.tsx";

/** The bytes that a canvas uses, who is connected, and the quotas that fill up. */
export function UseCard({ canvas: { id } }: { canvas: Canvas }) {
  const { data: usage, error } = useQuery(usageQuery(id));
  return (
    <section className="card" aria-labelledby="use">
      <h2 id="use">Use</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {usage === undefined ? null : <Use usage={usage} />}
    </section>
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

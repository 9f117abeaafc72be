import { useQuery } from "@tanstack/react-query";
import { usageQuery } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { AiSpend } from "../../canvas/AiSpend.tsx";
import { lastDays } from "../../kit/days.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";

/** The AI budget of the canvas. Nothing without AI, unless some was spent before it was switched off. */
export function AiBudget({ canvas: { id, capabilities } }: { canvas: Canvas }) {
  const { data: usage, error } = useQuery(usageQuery(id, lastDays(30, Date.now())));
  if (!capabilities.ai && (usage === undefined || usage.spend.spent === 0)) return null;
  return (
    <section className="card stack" aria-labelledby="budget">
      <h2 id="budget">AI budget</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {usage === undefined ? null : <AiSpend spend={usage.spend} />}
      <p className="small soft">An administrator sets the limit.</p>
    </section>
  );
}

import { useQuery } from "@tanstack/react-query";
import { ownUsageQuery } from "../../api/queries.ts";
import { Reading } from "../../kit/Loading.tsx";
import { Meter } from "../../kit/Meter.tsx";
import { ownQuotas, ownSpend } from "./own-usage.ts";

/** How much of their quotas the caller uses, and what happens at each limit. */
export function UsageCard() {
  const query = useQuery(ownUsageQuery);
  const { data: usage } = query;
  return (
    <section className="card stack" aria-labelledby="usage">
      <h2 id="usage">What you use</h2>
      <Reading query={query} what="what you use" rows={4} />
      {usage === undefined ? null : (
        <>
          <div className="usage-meters">
            {[...ownQuotas(usage), ownSpend(usage)].map(({ name, ...meter }) => (
              <Meter key={name} {...meter} />
            ))}
          </div>
          <p className="small soft">Administrators can give you more.</p>
        </>
      )}
    </section>
  );
}

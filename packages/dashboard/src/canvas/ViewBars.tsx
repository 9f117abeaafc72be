import type { Usage } from "../api/types.ts";
import { DayBars } from "../kit/Bars.tsx";
import { countOf } from "../kit/words.ts";

/** How often a canvas was opened on each day from `from` to `to` (UTC), and by how many people. */
export const ViewBars = ({
  views,
  from,
  to,
}: {
  views: NonNullable<Usage["views"]>;
  from: string;
  to: string;
}) => (
  <DayBars
    label="Views"
    heads={["Day (UTC)", "Views", "People"]}
    days={views.days.map(({ day, views, people }) => ({ day, value: views, amounts: [views, people] }))}
    from={from}
    to={to}
    amountOf={(value) => countOf(value, "view")}
  />
);

import type { Usage } from "../api/types.ts";
import { Meter } from "../kit/Meter.tsx";
import { dollarsOf } from "../kit/money.ts";
import { shareOf } from "../kit/share.ts";

const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** What a canvas has spent on AI this month, of what it may spend. */
export const AiSpend = ({ spend: { month: of, spent, reserved, limit } }: Pick<Usage, "spend">) => (
  <Meter
    label={`AI in ${month.format(Date.parse(`${of}-01`))}`}
    amount={`${dollarsOf(spent)} of ${dollarsOf(limit)}`}
    share={shareOf(spent, limit)}
    note={`Further AI calls are refused until the next month.${
      reserved > 0 ? ` Calls under way may cost ${dollarsOf(reserved)} more.` : ""
    }`}
  />
);

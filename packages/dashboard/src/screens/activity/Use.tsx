import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useId } from "react";
import { usageQuery } from "../../api/queries.ts";
import type { Canvas, Usage } from "../../api/types.ts";
import { AiSpend } from "../../canvas/AiSpend.tsx";
import { quotasOf } from "../../canvas/quotas.ts";
import { ViewBars } from "../../canvas/ViewBars.tsx";
import { Bars, DayBars } from "../../kit/Bars.tsx";
import { bytesOf } from "../../kit/bytes.ts";
import { dayName } from "../../kit/days.ts";
import { Reading } from "../../kit/Loading.tsx";
import { Meter } from "../../kit/Meter.tsx";
import { dollarsOf } from "../../kit/money.ts";
import { shareOf } from "../../kit/share.ts";
import { countOf } from "../../kit/words.ts";
import { rangeOf } from "./search.ts";

const number = new Intl.NumberFormat("en");

/** What the canvas uses: of its quotas now, and of AI and Connections in a range of days. */
export function Use({ canvas: { id } }: { canvas: Canvas }) {
  const search = useSearch({ from: "/canvases/$id/activity" });
  const today = Date.now();
  const range = rangeOf(search, today);
  // The limits are shown, too, if the range is none.
  const now = useQuery(usageQuery(id, rangeOf({}, today)));
  const ranged = useQuery(usageQuery(id, range));
  return (
    <div className="stack">
      <Reading query={now} what="what the canvas uses" rows={8} />
      {now.data === undefined ? null : (
        <>
          <Limits usage={now.data} />
          <section className="stack" aria-labelledby="figures">
            <Range {...range} />
            <Reading query={ranged} what="the figures" />
            {ranged.data === undefined ? null : (
              <div className="figures">
                <Views usage={ranged.data} />
                <Ai usage={ranged.data} />
                <Connections usage={ranged.data} />
              </div>
            )}
          </section>
        </>
      )}
    </div>
  );
}

function Limits({ usage: { counts, bytes, spend, realtime } }: { usage: Usage }) {
  return (
    <section className="card stack" aria-labelledby="limits">
      <div>
        <h2 id="limits">Limits</h2>
        <p className="small soft">
          The live version has {bytesOf(bytes.version)}, all versions {bytesOf(bytes.versions)}, the data{" "}
          {bytesOf(bytes.data)}. Below each bar stands what happens at the limit.
        </p>
      </div>
      <div className="limits">
        {quotasOf(counts).map(({ name, label, amount, share, atLimit }) => (
          <Meter key={name} label={label} amount={amount} share={share} note={atLimit} />
        ))}
        <AiSpend spend={spend} />
        <Meter
          label="Live connections now"
          amount={`${number.format(realtime.connections)} of ${number.format(realtime.limit)}`}
          share={shareOf(realtime.connections, realtime.limit)}
          note="Further tabs get changes half a minute late."
        />
      </div>
    </section>
  );
}

/** The first and the last day of the figures. */
function Range({ from, to }: { from: string; to: string }) {
  const navigate = useNavigate({ from: "/canvases/$id/activity" });
  const change = (to: { from?: string | undefined; to?: string | undefined }) =>
    void navigate({ search: (search) => ({ ...search, ...to }), replace: true, resetScroll: false });
  return (
    <div className="range">
      <h2 id="figures">From day to day</h2>
      <Day label="From" value={from} max={to} onChange={(from) => change({ from })} />
      <Day label="To" value={to} min={from} onChange={(to) => change({ to })} />
      <small className="soft">Days of UTC</small>
    </div>
  );
}

function Day({
  label,
  value,
  min,
  max,
  onChange,
}: {
  label: string;
  value: string;
  min?: string;
  max?: string;
  onChange: (day: string | undefined) => void;
}) {
  const id = useId();
  return (
    <span className="day-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="date"
        className="input"
        value={value}
        min={min}
        max={max}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
    </span>
  );
}

function Views({ usage: { views, ai } }: { usage: Usage }) {
  return (
    <section className="card stack" aria-labelledby="views">
      <h2 id="views">Views</h2>
      {views === null ? (
        <p className="soft">This service does not count who opens a canvas.</p>
      ) : views.total === 0 ? (
        <p className="soft">
          Nobody opened it from {dayName(ai.from)} to {dayName(ai.to)}.
        </p>
      ) : (
        <>
          <p>
            {countOf(views.total, "view")}, by {countOf(views.people, "person", "people")} who had signed in.
          </p>
          <ViewBars views={views} from={ai.from} to={ai.to} />
        </>
      )}
    </section>
  );
}

const requests = (count: number) => countOf(count, "request");

function Ai({ usage: { ai } }: { usage: Usage }) {
  const { from, to, total, days, models } = ai;
  const amounts = ({ requests, incomplete, inputTokens, outputTokens, cost, ...cached }: typeof total) => [
    incomplete === 0
      ? number.format(requests)
      : `${number.format(requests)}, ${number.format(incomplete)} failed`,
    number.format(inputTokens + outputTokens + cached.cacheCreationInputTokens + cached.cacheReadInputTokens),
    dollarsOf(cost),
  ];
  const heads = ["Requests", "Tokens", "Cost"];
  return (
    <section className="card stack" aria-labelledby="ai">
      <h2 id="ai">AI</h2>
      {total.requests === 0 ? (
        <p className="soft">
          No AI was used from {dayName(from)} to {dayName(to)}.
        </p>
      ) : (
        <>
          <p>
            {requests(total.requests)} for {dollarsOf(total.cost)}
            {total.incomplete === 0 ? "" : `; ${number.format(total.incomplete)} did not come to an end`}.
          </p>
          <DayBars
            label="Cost of AI by day"
            heads={["Day", ...heads]}
            from={from}
            to={to}
            days={days.map((day) => ({ day: day.day, value: day.cost, amounts: amounts(day) }))}
            amountOf={dollarsOf}
          />
          <Bars
            label="Cost of AI by model"
            heads={["Model", ...heads]}
            rows={models.map((model) => ({
              key: model.model,
              label: model.model,
              value: model.cost,
              amounts: amounts(model),
            }))}
          />
        </>
      )}
    </section>
  );
}

function Connections({ usage: { connections, ai } }: { usage: Usage }) {
  return (
    <section className="card stack" aria-labelledby="connections">
      <h2 id="connections">Connections</h2>
      {connections.length === 0 ? (
        <p className="soft">
          No Connection was called from {dayName(ai.from)} to {dayName(ai.to)}.
        </p>
      ) : (
        <Bars
          label="Calls through Connections"
          heads={["Connection", "Calls", "Failed", "Half take"]}
          rows={connections.map(({ profile, calls, responses, failures, latency }) => ({
            key: profile,
            label: (
              <>
                {profile} <span className="soft">{wordsOf({ ...responses, ...failures })}</span>
              </>
            ),
            value: calls,
            amounts: [
              number.format(calls),
              number.format(Object.values(failures).reduce((sum, count) => sum + count, 0)),
              latency === null ? "–" : `${number.format(latency.p50Ms)}\u00a0ms`,
            ],
          }))}
        />
      )}
    </section>
  );
}

/** Returns numbers by name, such as "2xx 12, 5xx 1". */
const wordsOf = (numbers: Record<string, number>): string =>
  Object.entries(numbers)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${number.format(count)}`)
    .join(", ");

import "./ai-spend.css";
import "../figures.css";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import { instanceAiQuery } from "../../../api/instance.ts";
import { type BarRow, Bars, DayBars } from "../../../kit/Bars.tsx";
import { Button } from "../../../kit/Button.tsx";
import { dayName } from "../../../kit/days.ts";
import { Empty } from "../../../kit/Empty.tsx";
import { Reading } from "../../../kit/Loading.tsx";
import { Meter } from "../../../kit/Meter.tsx";
import { dollarsOf } from "../../../kit/money.ts";
import { NativeSelect } from "../../../kit/NativeSelect.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { shareOf } from "../../../kit/share.ts";
import { countOf } from "../../../kit/words.ts";
import { RANGES, rangeIn } from "./ranges.ts";

const number = new Intl.NumberFormat("en");
const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** How many bars a list has at first. */
const SHOWN = 10;

/** What the AI requests of all pages have cost: by day, model, person and canvas. */
export function AiSpendScreen() {
  const search = useSearch({ from: "/admin/ai" });
  const navigate = useNavigate();
  const query = useQuery(instanceAiQuery(search));
  const { data, isPlaceholderData } = query;
  const now = Date.now();
  const range = rangeIn(search, now);
  const choose = (value: string) => {
    const chosen = RANGES.find((each) => each.value === value);
    if (chosen !== undefined)
      void navigate({ to: "/admin/ai", search: chosen.rangeOf(now), replace: true, resetScroll: false });
  };
  return (
    <Screen
      title="AI spend"
      acts={
        <NativeSelect
          label="Days"
          hideLabel
          choices={[
            ...RANGES.map(({ value, label }) => ({ value, label })),
            ...(range === "own" ? [{ value: "own", label: "Own range" }] : []),
          ]}
          value={range}
          onChange={choose}
        />
      }
    >
      <Reading query={query} what="the spend" rows={8} />
      {data === undefined ? null : (
        <div className={`stack${isPlaceholderData ? " stale" : ""}`}>
          <section className="card stack" aria-labelledby="total">
            <div>
              <h2 id="total">
                {dayName(data.from, true)} to {dayName(data.to, true)}
              </h2>
              <p className="figure">{dollarsOf(data.total.cost)}</p>
              <p className="small soft">
                {countOf(data.total.requests, "request")}
                {data.total.incomplete === 0
                  ? ""
                  : `, ${number.format(data.total.incomplete)} of them without a whole response`}
                ,{" "}
                {number.format(
                  data.total.inputTokens +
                    data.total.cacheReadInputTokens +
                    data.total.cacheCreationInputTokens,
                )}{" "}
                tokens in, {number.format(data.total.outputTokens)} out. Days are in UTC.
              </p>
            </div>
            {data.spend.limit === null ? null : (
              <Meter
                label={`Cap of the instance in ${month.format(Date.parse(`${data.spend.month}-01`))}`}
                amount={`${dollarsOf(data.spend.spent)} of ${dollarsOf(data.spend.limit)}`}
                share={shareOf(data.spend.spent, data.spend.limit)}
              />
            )}
            {data.total.requests === 0 ? null : (
              <DayBars
                label="AI spend by day"
                heads={["Day", "Spend", "Requests"]}
                from={data.from}
                to={data.to}
                amountOf={dollarsOf}
                days={data.days.map(({ day, cost, requests }) => ({
                  day,
                  value: cost,
                  amounts: [dollarsOf(cost), number.format(requests)],
                }))}
              />
            )}
          </section>
          {data.total.requests === 0 ? (
            <Empty icon={<Sparkles aria-hidden />} title="No AI requests on these days">
              <p>Pages ask models through the service once it has a provider key and their backend is on.</p>
            </Empty>
          ) : (
            <div className="spend-lists">
              <Costs
                id="models"
                title="Models"
                rows={data.models.map(({ model, cost, requests }) => ({
                  key: model,
                  label: model,
                  value: cost,
                  amounts: [dollarsOf(cost), number.format(requests)],
                }))}
              />
              <Costs
                id="people"
                title="People"
                about="The guests of a person count for the person who invited them, too."
                rows={data.people.map(({ userId, name, email, cost, guestCost, requests }) => ({
                  key: userId,
                  label: (
                    <>
                      {name ?? "Somebody who is gone"}
                      {email === null ? null : <span className="small soft"> {email}</span>}
                      {guestCost === 0 ? null : (
                        <span className="small soft"> and {dollarsOf(guestCost)} by guests</span>
                      )}
                    </>
                  ),
                  value: cost,
                  amounts: [dollarsOf(cost), number.format(requests)],
                }))}
              />
              <Costs
                id="canvases"
                title="Canvases"
                rows={data.canvases.map(({ canvasId, title, slug, cost, requests }) => ({
                  key: canvasId,
                  label: (
                    <>
                      {title} <span className="small soft">{slug}</span>
                    </>
                  ),
                  value: cost,
                  amounts: [dollarsOf(cost), number.format(requests)],
                }))}
              />
            </div>
          )}
        </div>
      )}
    </Screen>
  );
}

/** The highest costs. The others are shown on demand. */
function Costs({ id, title, about, rows }: { id: string; title: string; about?: ReactNode; rows: BarRow[] }) {
  const { all } = useSearch({ from: "/admin/ai" });
  const navigate = useNavigate();
  const isWhole = all === id || rows.length <= SHOWN;
  return (
    <section className="card stack-small" aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        {about === undefined ? null : <p className="small soft">{about}</p>}
      </div>
      <Bars label={title} heads={[title, "Spend", "Requests"]} rows={isWhole ? rows : rows.slice(0, SHOWN)} />
      {isWhole ? null : (
        <div>
          <Button
            onPress={() =>
              void navigate({
                to: "/admin/ai",
                search: (now) => ({ ...now, all: id }),
                replace: true,
                resetScroll: false,
              })
            }
          >
            Show all {number.format(rows.length)}
          </Button>
        </div>
      )}
    </section>
  );
}

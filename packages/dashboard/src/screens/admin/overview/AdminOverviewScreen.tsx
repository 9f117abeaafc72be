import "./admin-overview.css";
import "../figures.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight, CircleCheck, TriangleAlert } from "lucide-react";
import { type InstanceOverview, instanceOverviewQuery } from "../../../api/instance.ts";
import { bytesOf } from "../../../kit/bytes.ts";
import { Reading } from "../../../kit/Loading.tsx";
import { Meter } from "../../../kit/Meter.tsx";
import { dollarsOf } from "../../../kit/money.ts";
import { Screen } from "../../../kit/Screen.tsx";
import { shareOf } from "../../../kit/share.ts";
import { ATTENTION } from "./attention.ts";

const number = new Intl.NumberFormat("en");
const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** What needs an administrator, and what the instance has. */
export function AdminOverviewScreen() {
  const query = useQuery(instanceOverviewQuery);
  const { data } = query;
  return (
    <Screen title="Overview">
      <Reading query={query} what="the overview" rows={8} />
      {data === undefined ? null : (
        <div className="stack">
          <Attention attention={data.attention} />
          <Figures overview={data} />
        </div>
      )}
    </Screen>
  );
}

function Attention({ attention }: { attention: InstanceOverview["attention"] }) {
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {attention.length === 0 ? (
        <p className="attention-none">
          <CircleCheck aria-hidden />
          Nothing needs you now.
        </p>
      ) : (
        <ul className="attention">
          {attention.map(({ kind, count, query }) => {
            const { words, todo, to } = ATTENTION[kind];
            return (
              <li key={kind}>
                <Link to={to} search={Object.fromEntries(new URLSearchParams(query))}>
                  <TriangleAlert aria-hidden />
                  <span>
                    <strong>{words(count)}</strong>
                    <span className="soft small">{todo}</span>
                  </span>
                  <ArrowRight aria-hidden />
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

const STATES: [state: keyof InstanceOverview["canvases"], label: string][] = [
  ["published", "Online"],
  ["draft", "Not online yet"],
  ["unpublished", "Taken offline"],
  ["archived", "Archived"],
  ["expired", "Expired"],
  ["disabled", "Disabled"],
  ["deleted", "In the trash"],
];

function Figures({ overview: { canvases, people, bytes, ai } }: { overview: InstanceOverview }) {
  const kept = Object.entries(canvases).reduce(
    (sum, [state, count]) => (state === "deleted" ? sum : sum + count),
    0,
  );
  return (
    <div className="cards">
      <section className="card stack-small" aria-labelledby="canvases">
        <h2 id="canvases">Canvases</h2>
        <p className="figure">{number.format(kept)}</p>
        <dl className="figures-list">
          {STATES.map(([state, label]) => (
            <div key={state}>
              <dt>
                {state === "deleted" ? (
                  label
                ) : (
                  <Link to="/admin/canvases" search={{ show: state }}>
                    {label}
                  </Link>
                )}
              </dt>
              <dd>{number.format(canvases[state])}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="card stack-small" aria-labelledby="people">
        <h2 id="people">People</h2>
        <p className="figure">{number.format(people.total)}</p>
        <dl className="figures-list">
          <div>
            <dt>Here within 30 days</dt>
            <dd>{number.format(people.active30)}</dd>
          </div>
          <div>
            <dt>
              <Link to="/admin/people" search={{ show: "deactivated" }}>
                Deactivated
              </Link>
            </dt>
            <dd>{number.format(people.deactivated)}</dd>
          </div>
        </dl>
      </section>
      <section className="card stack-small" aria-labelledby="storage">
        <h2 id="storage">Storage</h2>
        <p className="figure">{bytesOf(bytes.bundles + bytes.files)}</p>
        <dl className="figures-list">
          <div>
            <dt>Versions of canvases</dt>
            <dd>{bytesOf(bytes.bundles)}</dd>
          </div>
          <div>
            <dt>Uploaded files</dt>
            <dd>{bytesOf(bytes.files)}</dd>
          </div>
        </dl>
      </section>
      <section className="card stack-small" aria-labelledby="spend">
        <h2 id="spend">
          <Link to="/admin/ai" className="spend-title">
            AI spend
          </Link>
        </h2>
        <p className="figure">{dollarsOf(ai.spent)}</p>
        {ai.limit === null ? (
          <p className="small soft">
            In {month.format(Date.parse(`${ai.month}-01`))}, without a cap for the instance.
          </p>
        ) : (
          <Meter
            label={month.format(Date.parse(`${ai.month}-01`))}
            amount={`${dollarsOf(ai.spent)} of ${dollarsOf(ai.limit)}`}
            share={shareOf(ai.spent, ai.limit)}
          />
        )}
        {ai.reserved === 0 ? null : (
          <p className="small soft">Requests under way may cost {dollarsOf(ai.reserved)} more.</p>
        )}
      </section>
    </div>
  );
}

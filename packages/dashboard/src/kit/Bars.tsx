import "./bars.css";
import type { ReactNode } from "react";
import { dayName, daysBetween } from "./days.ts";

/** What a bar shows. `value` is its length, in any unit. `amounts` are the cells of its row in words, one for each column after the first. */
interface Row {
  value: number;
  amounts: readonly ReactNode[];
}

/** A row of bars, such as what one model has cost. */
export interface BarRow extends Row {
  key: string;
  label: ReactNode;
}

/** A day with something to show. `day` is as in "2026-01-31" (UTC). */
export interface BarDay extends Row {
  day: string;
}

interface Table {
  /** Names the table for screen readers. */
  label: string;
  /** The heads of the columns. The first one is that of the names of the rows. */
  heads: readonly string[];
}

/** The smallest share of the longest bar that is drawn, so that a little does not look like nothing. */
const LEAST = 0.01;

const shareOf = (value: number, most: number): number =>
  value <= 0 || most <= 0 ? 0 : Math.max(value / most, LEAST);

const mostOf = (rows: readonly Row[]): number => Math.max(0, ...rows.map(({ value }) => value));

/** A table whose rows have bars, the longest for the highest value. The bars repeat what the cells say. */
export function Bars({ label, heads, rows }: Table & { rows: readonly BarRow[] }) {
  const most = mostOf(rows);
  return (
    <BarTable label={label} heads={heads}>
      {rows.map(({ key, label, value, amounts }) => (
        <BarLine
          key={key}
          amounts={amounts}
          label={
            <>
              <bdi>{label}</bdi>
              <span className="bar-track">
                <span className="bar" style={{ inlineSize: `${shareOf(value, most) * 100}%` }} />
              </span>
            </>
          }
        />
      ))}
    </BarTable>
  );
}

/**
 * One bar for each day from `from` to `to`, and the same as a table that can be opened. Days that are not in `days` have nothing. `amountOf`
 * returns a value in words.
 */
export function DayBars({
  label,
  heads,
  days,
  from,
  to,
  amountOf,
}: Table & {
  days: readonly BarDay[];
  from: string;
  to: string;
  amountOf: (value: number) => string;
}) {
  const all = daysBetween(from, to);
  const most = mostOf(days);
  const values = new Map(days.map(({ day, value }) => [day, value]));
  const top = days.find(({ value }) => value === most);
  const highest = top === undefined ? "" : ` The most is ${amountOf(most)} on ${dayName(top.day)}.`;
  // Many bars stand without a gap, so that each is as wide as can be.
  const width = all.length > 90 ? 1 : 0.8;
  return (
    <figure className="day-bars">
      <small className="soft" aria-hidden>
        {amountOf(most)}
      </small>
      <svg
        role="img"
        aria-label={`${label}, ${dayName(from)} to ${dayName(to)}.${highest}`}
        viewBox={`0 0 ${all.length || 1} 1`}
        preserveAspectRatio="none"
      >
        {all.map((day, index) => {
          const value = values.get(day) ?? 0;
          const height = shareOf(value, most);
          return (
            <g key={day} className="bar">
              <title>{`${dayName(day)}: ${amountOf(value)}`}</title>
              {/* The whole height of the day has the title. */}
              <rect className="day" x={index} y={0} width={1} height={1} />
              <rect x={index + (1 - width) / 2} y={1 - height} width={width} height={height} />
            </g>
          );
        })}
      </svg>
      <small className="ends soft" aria-hidden>
        <span>{dayName(from)}</span>
        <span>{dayName(to)}</span>
      </small>
      <details>
        <summary>
          As a table<span className="hidden-text">: {label}</span>
        </summary>
        <BarTable label={label} heads={heads}>
          {days.map(({ day, amounts }) => (
            <BarLine key={day} amounts={amounts} label={dayName(day, true)} />
          ))}
        </BarTable>
      </details>
    </figure>
  );
}

const BarTable = ({ label, heads, children }: Table & { children: ReactNode }) => (
  <table className="bars" aria-label={label}>
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

const BarLine = ({ label, amounts }: { label: ReactNode; amounts: readonly ReactNode[] }) => (
  <tr>
    <th scope="row">{label}</th>
    {amounts.map((amount, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the columns are always the same
      <td key={index}>{amount}</td>
    ))}
  </tr>
);

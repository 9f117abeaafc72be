import { agoOf, dayOf } from "./time-words.ts";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

/** A time in words. The exact time, with its zone, is its tooltip and what screen readers can ask for; with `exact`, it is shown. */
export const Time = ({ at, as = "ago" }: { at: number; as?: "ago" | "day" | "exact" }) => (
  <time dateTime={new Date(at).toISOString()} title={exact.format(at)}>
    {as === "exact" ? exact.format(at) : as === "ago" ? agoOf(at) : dayOf(at)}
  </time>
);

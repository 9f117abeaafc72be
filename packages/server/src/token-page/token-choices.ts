import type { TokenAudience, TokenScope } from "@easel/protocol/management";
import { z } from "zod";

/** The name of each scope and what its tokens can do, for the person who creates one. */
export const SCOPES: Record<TokenScope, { label: string; explanation: string }> = {
  full: {
    label: "Everything",
    explanation: "Does all that you can do, except managing your tokens and sessions.",
  },
  deploy: {
    label: "Deploy",
    explanation:
      "Creates canvases, deploys and publishes versions, and sets what easel.json declares. For CI.",
  },
  read: {
    label: "Read",
    explanation: "Reads canvases and their data, and changes nothing.",
  },
};

const LIFETIMES = [7, 30, 90, 365];
const USUAL_LIFETIME = 90;

/** Returns the lifetimes that the form offers, in days. `maxDays` is the highest age of a token, or null if there is none. */
export const lifetimesWithin = (maxDays: number | null): number[] =>
  maxDays === null ? LIFETIMES : [...LIFETIMES.filter((days) => days < maxDays), maxDays];

/** The choices of the form, in the texts that it sends. */
export interface Choices {
  audience: TokenAudience;
  name: string;
  scope: string;
  /** The id of the only canvas of the token; empty for a token for all canvases, `made` for those that an AI tool makes. */
  canvas: string;
  /** Whether an AI tool asks the person before it opens a canvas to more people. */
  confirms: boolean;
  /** A lifetime in days, `date` or `never`. */
  end: string;
  /** The last day of the token, such as `2026-01-31`, if `end` is `date`. */
  date: string;
}

/** Returns the choices with which the form begins. */
export const defaultsFor = (audience: TokenAudience, maxDays: number | null): Choices => ({
  ...{ audience, name: "", canvas: "", confirms: true, date: "" },
  end: String(Math.min(USUAL_LIFETIME, maxDays ?? USUAL_LIFETIME)),
  scope: audience === "mcp" ? "deploy" : "full",
});

/** Reads the choices from a submitted form. A missing field has its default; a box that is not checked is not sent. */
export function choicesOf(form: URLSearchParams, maxDays: number | null): Choices {
  const audience = form.get("audience") === "mcp" ? "mcp" : "api";
  const defaults = defaultsFor(audience, maxDays);
  const field = (name: Exclude<keyof Choices, "audience" | "confirms">) => form.get(name) ?? defaults[name];
  return {
    audience,
    confirms: form.has("confirms"),
    name: field("name"),
    scope: field("scope"),
    canvas: field("canvas"),
    end: field("end"),
    date: field("date"),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns when a token with these choices expires, in epoch milliseconds: a number of days after `now`, or at the end of a day (UTC).
 * Returns null if it never expires, and undefined if the choices contain no time in the future, or none that the form offers.
 */
export function endOf(
  { end, date }: Choices,
  maxDays: number | null,
  now: number,
): number | null | undefined {
  if (end === "never" && maxDays === null) return null;
  const days = lifetimesWithin(maxDays).find((each) => String(each) === end);
  if (days !== undefined) return now + days * DAY_MS;
  const start = z.iso.date().safeParse(date).success ? Date.parse(date) : Number.NaN;
  return end === "date" && start + DAY_MS > now ? start + DAY_MS : undefined;
}

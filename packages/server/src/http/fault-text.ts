import type { z } from "zod";
import { nearestName } from "./nearest-name.ts";

const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const UNITS: Record<string, string> = { string: "character", array: "entry" };

const counted = (count: number | bigint, unit: string): string => {
  const many = unit.endsWith("y") ? `${unit.slice(0, -1)}ies` : `${unit}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? unit : many}`;
};

const shown = (value: unknown): string => (typeof value === "string" ? `"${value}"` : String(value));

/** Joins alternatives to `a, b or c`. */
const oneOf = (values: readonly unknown[]): string =>
  values
    .map(shown)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");

type Bound = z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>;

function bound(issue: Bound): string {
  const [limit, word, strict] =
    issue.code === "too_small" ? [issue.minimum, "least", "more"] : [issue.maximum, "most", "less"];
  const unit = UNITS[issue.origin];
  if (unit !== undefined)
    return issue.code === "too_small" && limit === 1
      ? "must not be empty"
      : `must have at ${word} ${counted(limit, unit)}`;
  return `must be ${issue.inclusive === false ? `${strict} than` : `at ${word}`} ${limit}`;
}

/** Describes the values of all alternatives if each is a list of values. */
function union({ errors }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const faults = errors.flat();
  const values = faults.flatMap((fault) => (fault.code === "invalid_value" ? fault.values : []));
  return faults.every(({ code }) => code === "invalid_value") ? `must be ${oneOf(values)}` : "is not valid";
}

/**
 * Returns what is wrong with a value, as the rest of a sentence whose subject is the name of the field: `must be a whole number`. Schemas
 * with messages of their own use the same form.
 */
export function textOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return issue.input === undefined ? "is missing" : `must be ${oneOf(issue.values)}`;
    case "too_small":
    case "too_big":
      return bound(issue);
    case "invalid_union":
      return issue.input === undefined ? "is missing" : union(issue);
    case "invalid_key":
      return issue.issues[0]?.message ?? "is not a valid name";
    default:
      return issue.input === undefined ? "is missing" : "is not valid";
  }
}

/** Returns the names of the fields of the object in which an issue has found unknown ones. */
function knownNames({ inst }: z.core.$ZodRawIssue): string[] {
  const def = inst?._zod.def;
  return def !== undefined && "shape" in def ? Object.keys(def.shape as object) : [];
}

/** Returns what is wrong with an unknown field, in the same form. */
export function unknownText(name: string, issue: z.core.$ZodRawIssue): string {
  const nearest = nearestName(name, knownNames(issue));
  return nearest === undefined ? "is unknown" : `is unknown; did you mean \`${nearest}\`?`;
}

import { type ZodType, z } from "zod";
import { refuse } from "./refusal.ts";

/**
 * Returns the minimum number of edits that turn one text into another. An edit inserts, deletes or replaces one letter, or swaps two
 * adjacent letters.
 */
function distance(from: string, to: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}

/** Names of this length or more are not compared, because every known name is shorter. */
const MAX_LENGTH = 40;

/**
 * Returns the known name that a misspelt name most likely stands for. Returns undefined if every known name differs from the misspelt one
 * in more than 40 % of the letters.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length >= MAX_LENGTH) return undefined;
  const ranked = known
    .map((each) => ({ each, off: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, off }) => off <= Math.max(each.length, name.length) * 0.4)
    .sort((a, b) => a.off - b.off);
  return ranked[0]?.each;
}

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
function unknownText(name: string, issue: z.core.$ZodRawIssue): string {
  const nearest = nearestName(name, knownNames(issue));
  return nearest === undefined ? "is unknown" : `is unknown; did you mean \`${nearest}\`?`;
}

/** The maximum number of faults that are reported. */
const MAX_FAULTS = 20;
/** The maximum length of the message of a refusal, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 2_000;
/** The maximum length of the name of a field, in UTF-16 code units. */
const MAX_FIELD_LENGTH = 200;

/** A fault of a value from outside. */
export interface Fault {
  /** The path of the faulty value, such as `people[2].email`; empty for the value itself. */
  field: string;
  /** The same path in its parts. */
  path: PropertyKey[];
  /** A sentence without its full stop: the field, or what the value is, and what is wrong with it. */
  sentence: string;
}

/** The result of `check`: the parsed value, or its first faults. */
export type Checked<Output> =
  | { data: Output; faults: undefined }
  | { data: undefined; faults: [Fault, ...Fault[]] };

/** Characters that end a line, change the direction of a text or cannot be seen. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const printable = (text: string, length: number): string =>
  (text.length > length ? `${text.slice(0, length)}…` : text).toWellFormed().replace(UNPRINTABLE, " ");

/** Returns the name of a path: `people[2].email`. Names with other characters are quoted: `headers["a b"]`. */
const fieldAt = (path: PropertyKey[]): string =>
  path
    .map((part) => {
      if (typeof part === "number") return `[${part}]`;
      return /^[\w$-]+$/.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(String(part))}]`;
    })
    .join("")
    .replace(/^\./, "");

/**
 * Parses a value from outside with a schema, and returns at most 20 faults. `what` is the subject of a fault of the value itself.
 * `safeParse` would build a message for each fault, of which a request body can have hundreds of thousands.
 */
export function check<Schema extends ZodType>(
  value: unknown,
  schema: Schema,
  what: string,
): Checked<z.output<Schema>> {
  const context = { async: false, error: textOf };
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  const faultAt = (path: PropertyKey[], text: string): Fault => {
    const field = printable(fieldAt(path), MAX_FIELD_LENGTH);
    return { field, path, sentence: `${field === "" ? what : `\`${field}\``} ${text}` };
  };
  const [first, ...others] = result.issues
    .slice(0, MAX_FAULTS)
    .flatMap((issue) => {
      const { path = [] } = issue;
      if (issue.code === "unrecognized_keys")
        return issue.keys.slice(0, MAX_FAULTS).map((key) => faultAt([...path, key], unknownText(key, issue)));
      return faultAt(path, z.core.util.finalizeIssue(issue, context, z.config()).message);
    })
    .slice(0, MAX_FAULTS);
  return first === undefined
    ? { data: result.value as z.output<Schema>, faults: undefined }
    : { data: undefined, faults: [first, ...others] };
}

/**
 * Parses a value from outside with a schema. Throws 400 `INVALID_BODY` with the first faults, a sentence each; `field` is the path of the
 * first. `what` is the subject of a fault of the value itself.
 */
export function validate<Schema extends ZodType>(
  value: unknown,
  schema: Schema,
  what = "The body",
): z.output<Schema> {
  const { data, faults } = check(value, schema, what);
  if (faults === undefined) return data;
  const message = faults
    .map(({ sentence }) => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`))
    .join(" ");
  return refuse("INVALID_BODY", {
    message: printable(message, MAX_MESSAGE_LENGTH),
    field: faults[0].field || undefined,
  });
}

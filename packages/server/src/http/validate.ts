import { type ZodType, z } from "zod";
import { textOf, unknownText } from "./fault-text.ts";
import { refuse } from "./refusal.ts";

/** The maximum number of faults that are reported. */
const MAX_FAULTS = 20;
/** The maximum length of the message of a refusal, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 2_000;
/** The maximum length of the name of a field, in UTF-16 code units. */
const MAX_FIELD_LENGTH = 200;

/** A fault of a value from outside. */
export interface Fault {
  /** The place of the fault, such as `people[2].email`; empty for the value itself. */
  field: string;
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

/** Returns the name of a place: `people[2].email`. Names with other characters are quoted: `headers["a b"]`. */
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
    return { field, sentence: `${field === "" ? what : `\`${field}\``} ${text}` };
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
 * Parses a value from outside with a schema. Throws 400 `INVALID_BODY` with the first faults, a sentence each; `field` is the place of the
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

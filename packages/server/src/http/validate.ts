import { type ZodType, z } from "zod";
import { refuse } from "./refusal.ts";

/** The maximum number of faults that are reported, and of unknown fields in one fault. */
const MAX_FAULTS = 20;
/** The maximum length of the message of a refusal, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 2_000;

/** The result of `check`: the parsed value, or its first faults. */
export type Checked<Output> =
  | { data: Output; faults: undefined }
  | { data: undefined; faults: [z.core.$ZodIssue, ...z.core.$ZodIssue[]] };

/**
 * Parses a value from outside with a schema, and returns at most 20 faults. `safeParse` would build a message for each fault, of which a
 * request body can have hundreds of thousands.
 */
export function check<Output>(value: unknown, schema: ZodType<Output>): Checked<Output> {
  const context = { async: false };
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  const [first, ...others] = result.issues
    .slice(0, MAX_FAULTS)
    .map((issue) => z.core.util.finalizeIssue(shortened(issue), context, z.config()));
  return first === undefined
    ? { data: result.value as Output, faults: undefined }
    : { data: undefined, faults: [first, ...others] };
}

const shortened = (issue: z.core.$ZodRawIssue): z.core.$ZodRawIssue =>
  issue.code === "unrecognized_keys" ? { ...issue, keys: issue.keys.slice(0, MAX_FAULTS) } : issue;

/** Parses a value from outside with a schema. Throws 400 `INVALID_BODY` with a message that lists the first faults. */
export function validate<Output>(value: unknown, schema: ZodType<Output>): Output {
  const { data, faults } = check(value, schema);
  if (faults === undefined) return data;
  const message = z.prettifyError({ issues: faults });
  const isLong = message.length > MAX_MESSAGE_LENGTH;
  return refuse("INVALID_BODY", {
    message: isLong ? `${message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}…` : message,
  });
}

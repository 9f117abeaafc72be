import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { type ZodType, z } from "zod";
import type { Value } from "../drivers/db/db.ts";
import { firstValue, type Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import type { Parameters } from "../operations/operation.ts";
import { type Body, type JsonOptions, jsonBody } from "../operations/operation-body.ts";

/**
 * The stored form of a JSON value. A number is in `number`, so that SQL can increment it (decision 003). Any other value is in `value`, as
 * JSON text.
 */
export type Stored = { value: string; number: null } | { value: null; number: number };

const MAX_BYTES = LIMITS.valueBytes.value;
const tooLarge = () => refuse("VALUE_TOO_LARGE");

/**
 * Returns the body with a value. It may have six times the maximum size of a value, because JSON can write a one-byte character as six
 * bytes, such as `\u0061`. A longer one is 413 `VALUE_TOO_LARGE`. `accept` converts the value, by default by validating it with the schema.
 */
export const valueBody = <Schema extends ZodType, Value = z.output<Schema>>(
  schema: Schema,
  options: Pick<JsonOptions<Value>, "accept" | "decode"> = {},
): Body<Value, unknown> => jsonBody(schema, { limit: 6 * MAX_BYTES, tooLarge, ...options });

/** Converts a value to its stored form. Throws 413 `VALUE_TOO_LARGE` if its JSON text is longer than 64 KiB. */
export function toStored(json: Json): Stored {
  if (typeof json === "number") return { value: null, number: json };
  const value = JSON.stringify(json);
  if (Buffer.byteLength(value) > MAX_BYTES) tooLarge();
  return { value, number: null };
}

/** Returns the JSON text of a stored value. */
export const toText = (stored: Stored): string =>
  stored.number === null ? stored.value : JSON.stringify(stored.number);

/** Half of the largest finite number. `STAYS_FINITE` compares half of a sum with it, because the whole sum could overflow. */
const HALF = Number.MAX_VALUE / 2;

/** A number with an absolute value below this limit stays finite when any finite number is added. */
const HARMLESS = 1e291;

/**
 * The SQL condition that column `number` stays finite when an amount is added. Without the condition, SQLite would store infinity and
 * PostgreSQL would throw. `finiteValues` returns the values for the placeholders.
 */
export const STAYS_FINITE = "abs(case when abs(number) < ? then 0 else number * 0.5 + ? end) <= ?";

/** Returns the values for the placeholders of `STAYS_FINITE`, for adding `amount`. */
export const finiteValues = (amount: number): Value[] => [HARMLESS, amount / 2, HALF];

export const ABSENT = '{"absent":true}';

const schema = z.object({
  optional: z.string().optional().meta({
    description:
      "With `true`, the response to a read of what does not exist is 200 with `absent` instead of 404.",
  }),
});

/** The query of an operation that reads one thing. `absent` reads it if there is no such thing. */
export const optionalRead: Parameters<Query> = {
  schema,
  parse: (query) => query,
};

/** The schema of a response to a read with `optional=true`: what was read, or that it does not exist. */
export const orAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([schema, z.strictObject({ absent: z.literal(true) })]);

/**
 * Returns the response to a read of what does not exist, if the query is `optional=true`. Otherwise throws 404 `NOT_FOUND`, as specified.
 * Browsers write every 404 to the console as an error, but it is none to read a key before it is first written (decision 061).
 */
export const absent = (query: Query): string =>
  firstValue(query, "optional") === "true" ? ABSENT : refuse("NOT_FOUND");

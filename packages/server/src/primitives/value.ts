import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import type { Value } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { readBody } from "../http/body.ts";
import { firstValue } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import type { Call } from "./primitive.ts";

/**
 * The stored form of a JSON value. A number is in `number`, so that SQL can increment it (decision 003). Any other value is in `value`, as
 * JSON text.
 */
export type Stored = { value: string; number: null } | { value: null; number: number };

const MAX_BYTES = LIMITS.valueBytes.value;
const tooLarge = () => refuse("VALUE_TOO_LARGE");

/**
 * Reads a request body that contains a value. The body may have six times the maximum size of a value, because JSON can write a one-byte
 * character as six bytes, such as `\u0061`. Throws 413 `VALUE_TOO_LARGE` if the body is longer.
 */
export const readValue = ({ request }: Call, { turns }: Env): Promise<Buffer> =>
  readBody(request, 6 * MAX_BYTES, tooLarge, { turns });

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

const ABSENT = '{"absent":true}';

/** Describes the query parameter `optional` of a route that reads one thing, for the OpenAPI document. */
export const optionalRead = z.object({
  optional: z.string().optional().meta({
    description:
      "With `true`, the response to a read of what does not exist is 200 with `absent` instead of 404.",
  }),
});

/** The schema of a response to a read with `optional=true`: what was read, or that it does not exist. */
export const orAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([schema, z.strictObject({ absent: z.literal(true) })]);

/**
 * Returns the response to a read of what does not exist, if the query has `optional=true`. Otherwise throws 404 `NOT_FOUND`, as specified.
 * Browsers write every 404 to the console as an error, but it is none to read a key before it is first written (decision 061).
 */
export const absent = ({ query }: Call): string =>
  firstValue(query, "optional") === "true" ? ABSENT : refuse("NOT_FOUND");

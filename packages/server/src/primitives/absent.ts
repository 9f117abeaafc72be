import { z } from "zod";
import { firstValue } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import type { Call } from "./primitive.ts";

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

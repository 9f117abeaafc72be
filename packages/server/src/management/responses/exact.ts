import type { ZodType, z } from "zod";

/**
 * The type of a schema whose output type equals `Type`: each can be assigned to the other. It is `never` for any other schema, which then
 * does not compile.
 */
type Exactly<Type, Schema extends ZodType> = [z.output<Schema>] extends [Type]
  ? [Type] extends [z.output<Schema>]
    ? Schema
    : never
  : never;

/** Returns a function that names a schema for the docs, and checks at compile time that the schema describes exactly `Type`. */
export const exact =
  <Type>() =>
  <Schema extends ZodType>(name: string, schema: Schema & Exactly<Type, Schema>): ZodType<Type> =>
    schema.meta({ id: name }) as unknown as ZodType<Type>;

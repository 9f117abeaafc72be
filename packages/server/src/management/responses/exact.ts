import type { ZodType, z } from "zod";

/** A schema whose output type and `Type` are assignable to each other; any other schema does not compile. */
type Exactly<Type, Schema extends ZodType> = [z.output<Schema>] extends [Type]
  ? [Type] extends [z.output<Schema>]
    ? Schema
    : never
  : never;

/** Returns a function that names a schema in the docs and checks at compile time that it describes exactly `Type`. */
export const exact =
  <Type>() =>
  <Schema extends ZodType>(name: string, schema: Schema & Exactly<Type, Schema>): ZodType<Type> =>
    schema.meta({ id: name }) as unknown as ZodType<Type>;

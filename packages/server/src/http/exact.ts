import type { ZodType, z } from "zod";

/** `Schema` if its output type equals `Type`, otherwise `never`. Two types are equal if each can be assigned to the other. */
type Exactly<Type, Schema extends ZodType> = [z.output<Schema>] extends [Type]
  ? [Type] extends [z.output<Schema>]
    ? Schema
    : never
  : never;

/** Returns a function that names a schema for the docs and the OpenAPI document, and checks at compile time that the schema describes exactly `Type`. */
export const exact =
  <Type>() =>
  <Schema extends ZodType>(name: string, schema: Schema & Exactly<Type, Schema>): ZodType<Type> =>
    schema.meta({ id: name }) as unknown as ZodType<Type>;

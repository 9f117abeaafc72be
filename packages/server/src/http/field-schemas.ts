import { type ZodType, z } from "zod";
import { normalEmail } from "../access/principal.ts";
import { visibleName } from "./visible-name.ts";

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

/** Text without control characters. */
export const printable = z.string().regex(/^\P{Cc}*$/u, "must not have control characters");

/** A title of 1 to `characters` characters, which stays as it is but for spaces around it. A reader must see something of it. */
export const caption = (characters: number) =>
  printable
    .trim()
    .min(1)
    .max(characters)
    .refine((text) => text === "" || visibleName(text) !== "", "must have a character that can be seen");

/** A name of 1 to `characters` characters, of which a reader sees all: others are removed, and spaces around it. */
export const label = (characters: number) => printable.overwrite(visibleName).min(1).max(characters);

/** An e-mail address, which parsing normalizes to lower case. */
export const email = z.string().transform((given, context) => {
  const normal = normalEmail(given);
  if (normal === null) context.addIssue({ code: "custom", message: "is not an e-mail address" });
  return normal ?? z.NEVER;
});

/** The limit that an administrator sets for a quota; null restores the default. */
export const quota = z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable();

/** A time in epoch milliseconds. */
export const moment = z.int().max(8.64e15);

/** A time in the future, in epoch milliseconds. */
export const later = moment.refine((time) => time > Date.now(), "must lie in the future");

/**
 * An object that maps at most `most` names to values. The names are counted before a value is parsed, because a body can have tens of
 * thousands. `faultOf` returns what is wrong with a name, which is checked before any value, too.
 */
export const entries = <Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  most: number,
  faultOf: (name: string) => string | undefined = () => undefined,
) =>
  z.preprocess(
    (given, context) => {
      if (typeof given !== "object" || given === null) return given;
      const names = Object.keys(given);
      if (names.length > most)
        context.addIssue({ code: "custom", message: `must not have more than ${most} entries` });
      else
        for (const name of names) {
          const message = faultOf(name);
          if (message !== undefined) context.addIssue({ code: "custom", message, path: [name] });
        }
      return given;
    },
    z.record(key, value),
  );

/** Whether all values are different. */
export const distinct = (values: string[]): boolean => new Set(values).size === values.length;

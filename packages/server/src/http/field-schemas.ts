import { z } from "zod";
import { normalEmail } from "../access/email.ts";

/** Text without control characters. */
export const printable = z.string().regex(/^\P{Cc}*$/u, "must not hold control characters");

/** A name of 1 to `characters` characters; spaces around it are removed. */
export const label = (characters: number) => printable.trim().min(1).max(characters);

/** An e-mail address, which parsing normalizes to lower case. */
export const email = z.string().transform((given, context) => {
  const normal = normalEmail(given);
  if (normal === null) context.addIssue({ code: "custom", message: `\`${given}\` is not an e-mail address` });
  return normal ?? z.NEVER;
});

/** The limit that an administrator sets for a quota; null restores the default. */
export const quota = z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable();

/** A time in epoch milliseconds. */
export const moment = z.int().max(8.64e15);

/** A time in the future, in epoch milliseconds. */
export const later = moment.refine((time) => time > Date.now(), "must lie in the future");

/** Whether all values are different. */
export const distinct = (values: string[]): boolean => new Set(values).size === values.length;

import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { normalEmail } from "../access/email.ts";

/** Text without control characters. */
export const printable = z.string().regex(/^\P{Cc}*$/u, "must not hold control characters");

/** A name of so many characters, without spaces around it. */
export const label = (characters: number) => printable.trim().min(1).max(characters);

/** An e-mail address as it is kept. */
export const email = z.string().transform((given, context) => {
  const normal = normalEmail(given);
  if (normal === null) context.addIssue({ code: "custom", message: `\`${given}\` is no e-mail address` });
  return normal ?? z.NEVER;
});

/** A limit that administrators set; null brings back the usual one. */
export const quota = z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable();

/** A role that a canvas is shared with. */
export const role = z.enum(["editor", "viewer"]);

/** A time in epoch milliseconds. */
export const moment = z.int().max(8.64e15);

/** A time in the future, in epoch milliseconds. */
export const later = moment.refine((time) => time > Date.now(), "must lie in the future");

/** Whether all of these are different. */
export const distinct = (values: string[]): boolean => new Set(values).size === values.length;

/** The tags of a canvas. */
export const tags = z.array(printable.min(1).max(LIMITS.tagLength.value)).max(LIMITS.tags.value);

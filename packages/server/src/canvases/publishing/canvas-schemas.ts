import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { label, printable } from "../../http/field-schemas.ts";

/** The schema of the title of a canvas. */
export const title = label(LIMITS.titleLength.value);

/** The schema of the tags of a canvas. */
export const tags = z.array(printable.min(1).max(LIMITS.tagLength.value)).max(LIMITS.tags.value);

/** The schema of the free-form metadata of a canvas. */
export const metadata = z.preprocess(
  (given, context) => {
    if (Buffer.byteLength(JSON.stringify(given)) > LIMITS.metadataBytes.value)
      context.addIssue({ code: "custom", message: "must not be larger than 16 KiB" });
    return given;
  },
  z.record(z.string(), z.json()),
);

/**
 * The schema of the general access to a canvas: who may open it besides the people and teams with whom it is shared. `specific_people` is
 * the former name of `private`.
 */
export const access = z
  .enum(["private", "specific_people", "whole_org", "public_link"])
  .transform((given) => (given === "specific_people" ? "private" : given));

/** The schema of the password of a canvas, as pages with authoring give it (specification 8). */
export const password = z.string().min(1).max(LIMITS.passwordLength.value);

const MIN_PASSWORD = 8;

/** The schema of a new password of a canvas, as people give it: too short ones can be guessed. */
export const newPassword = password.min(
  MIN_PASSWORD,
  `must have at least ${MIN_PASSWORD} characters, and at most ${LIMITS.passwordLength.value}`,
);

/** The schema of the role with which a canvas is shared. */
export const role = z.enum(["editor", "viewer"]);

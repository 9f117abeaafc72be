import { type ZodType, z } from "zod";
import { access, metadata, password, tags, title } from "../../canvases/publishing/canvas-schemas.ts";
import { parseJson } from "../../http/body.ts";
import { moment } from "../../http/field-schemas.ts";
import { refuse } from "../../http/refusal.ts";
import { validate } from "../../http/validate.ts";

/** The general access that a page requests for a canvas. `password` is a public link with a password. */
const rung = z.union([access, z.literal("password")]);

/** The schema of the form part `metadata` in a request that creates a canvas. */
export const NewShare = z.strictObject({
  title,
  slug: z.string().optional(),
  tags: tags.default([]),
  access: rung.default("private"),
  password: password.optional(),
  expiresAt: moment.optional(),
  metadata: metadata.optional(),
  orgId: z.string().optional(),
});

/** The schema of the form part `metadata` in a request that updates a canvas. A field that is left out keeps its value; null clears it. */
export const ShareUpdate = z.strictObject({
  title: title.optional(),
  tags: tags.optional(),
  access: rung.optional(),
  password: password.nullish(),
  expiresAt: moment.nullish(),
  metadata: metadata.optional(),
  expectedUpdatedAt: moment.optional(),
});

/**
 * Parses the form part `metadata` with a schema and returns its fields. Throws 400 `INVALID_BODY` with the first faults in the message, or if
 * the bundle is empty.
 */
export function parseMetadata<Fields>(
  { metadata, bundle }: { metadata: Buffer; bundle: { bytes: number } | undefined },
  schema: ZodType<Fields>,
): Fields {
  const part = "The part `metadata`";
  const data = validate(parseJson(metadata, part), schema, part);
  if (bundle?.bytes === 0) refuse("INVALID_BODY", { message: "The part `bundle` is empty." });
  return data;
}

import { CAPABILITIES, type Capability } from "@easel/protocol/capabilities";
import { z } from "zod";
import { isSlug } from "../../http/canvas-path.ts";
import { distinct, printable } from "../../http/field-schemas.ts";
import { check } from "../../http/validate.ts";
import { policy, title } from "./canvas-schemas.ts";

/**
 * The pattern for text without control characters in the JSON Schema. It lists character codes, because some validators do not support
 * Unicode classes.
 */
const PRINTABLE = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

const NAMES = Object.keys(CAPABILITIES) as Capability[];

const audience = (who: string) =>
  z
    .enum(["editors", "viewers"])
    .optional()
    .meta({ description: `Who may ${who}: the owner and editors, or viewers, too.` });

/** The schema of `easel.json`, the file in a folder that describes the canvas to which the folder is deployed. */
export const easelJson = z
  .strictObject({
    $schema: z.string().optional().meta({ description: "The address of this schema, for editors." }),
    title: title.optional().meta({
      pattern: PRINTABLE,
      description: "The title of the canvas. By default the name of the folder.",
    }),
    slug: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, {
        message: "must be 3 to 63 lower-case letters, digits and inner hyphens",
        abort: true,
      })
      .refine(isSlug, "must not begin with `xn--`")
      .optional()
      .meta({
        description:
          "The name of the canvas in its address. By default it is derived from the name of the folder, or of the folder around `dist`, `build` and the like.",
      }),
    spa: z.boolean().optional().meta({
      description: "Whether navigations to paths without a file get index.html. By default they do not.",
    }),
    description: printable
      .optional()
      .meta({ pattern: PRINTABLE, description: "What the canvas is, for readers of the folder." }),
    listed: z.boolean().optional().meta({
      description:
        "Whether a canvas with the access whole_org is listed on the home pages of others. By default the first deploy lists it.",
    }),
    aiAudience: audience("use AI"),
    connectionsAudience: audience("call Connections"),
    authoringAudience: audience("publish canvases from the page"),
    guestAi: z
      .boolean()
      .optional()
      .meta({ description: "Whether guests may use AI. Only the owner sets it." }),
    policy: policy
      .optional()
      .meta({ description: "The sections of the runtime policy to set with every deploy." }),
    capabilities: z
      .array(z.enum(NAMES))
      .max(NAMES.length)
      .refine(distinct, "must not name a capability twice")
      .optional()
      .meta({
        uniqueItems: true,
        description:
          "What the page needs of the runtime API. The first deploy turns exactly these on; by default all but authoring.",
      }),
  })
  .meta({ title: "easel.json", description: "Describes the Easel canvas of its folder." });

/** A parsed `easel.json`. */
export type EaselJson = z.output<typeof easelJson>;

/** Returns the JSON Schema of `easel.json`. */
export const jsonSchema = (): z.core.JSONSchema.BaseSchema => z.toJSONSchema(easelJson, { reused: "inline" });

/** Returns the first faults of an `easel.json`, a sentence each. */
export function faultsOf(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [`not valid JSON: ${(error as Error).message}`];
  }
  return (check(value, easelJson, "the content").faults ?? []).map(({ sentence }) => sentence);
}

import { LIMITS } from "@easel/protocol/limits";
import {
  AUDIENCES,
  CONNECTION_METHODS,
  isResourceName,
  type PolicyRight,
  PRESETS,
  type Preset,
  RIGHTS,
  type RuntimePolicy,
} from "@easel/protocol/policy";
import { type ZodType, z } from "zod";
import { caption, distinct, entries, printable } from "../../http/field-schemas.ts";
import { isCommonPassword } from "./common-passwords.ts";

/** The schema of the title of a canvas. */
export const title = caption(LIMITS.titleLength.value);

/** The schema of the tags of a canvas. */
export const tags = z.array(printable.min(1).max(LIMITS.tagLength.value)).max(LIMITS.tags.value);

/** The schema of the free-form metadata of a canvas. */
export const metadata = z.preprocess(
  (given, context) => {
    if (new TextEncoder().encode(JSON.stringify(given)).length > LIMITS.metadataBytes.value)
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

/**
 * The schema of a new password of a canvas, as people give it: too short and too common ones can be guessed. Pages with authoring may give any
 * (specification 8), and passwords that a canvas has stay valid.
 */
export const newPassword = password
  .min(
    MIN_PASSWORD,
    `must have at least ${MIN_PASSWORD} characters, and at most ${LIMITS.passwordLength.value}`,
  )
  .refine((given) => !isCommonPassword(given), "is one of the most common passwords; choose another one");

/** The schema of the role with which a canvas is shared. */
export const role = z.enum(["editor", "viewer"]);

const right = z.enum(Object.keys(RIGHTS) as PolicyRight[]).optional();
const audience = z.enum(AUDIENCES);
const fileRights = { read: right, create: audience.optional(), update: right, delete: right };

/** A field of a record that is indexed whatever its encoding: a name of 80 UTF-16 code units has at most 240 bytes. */
const field = z
  .string()
  .regex(/^(authorId|value\..{1,80})$/, "must be authorId or value.{field}, with 1 to 80 characters")
  .refine((text) => text.isWellFormed(), "must be well-formed");

const nameFault = (name: string) => (isResourceName(name) ? undefined : "is not a valid name");

/**
 * Returns the schema of a section of the policy, such as `collections`: an object that maps names to entries. All names are checked before
 * an entry is parsed, because an entry with a name such as `__proto__` must not be parsed.
 */
const entriesOf = <Entry>(entry: ZodType<Entry>) =>
  entries(z.string(), entry, LIMITS.policyEntries.value, nameFault).optional();

const fileOverrides = z.strictObject(fileRights);
const recordOverrides = z.strictObject({ ...fileRights, increment: right });

/** Returns the schema of the phases of a collection or file group: names, each with the rights that the phase replaces. */
const phasesOf = <Rights>(overrides: ZodType<Rights>) =>
  entries(z.string(), overrides, LIMITS.policyPhases.value, nameFault).optional();

/** The schema of the policy document (specification 2). */
export const policy: ZodType<RuntimePolicy> = z
  .strictObject({
    defaultMode: z.enum(["read_only", "participation", "collaboration"]).optional(),
    collections: entriesOf(
      z.strictObject({
        preset: z.enum(Object.keys(PRESETS) as Preset[]),
        overrides: recordOverrides.optional(),
        phases: phasesOf(recordOverrides),
        aggregateCount: audience.optional(),
        unique: z
          .array(field)
          .min(1)
          .max(LIMITS.uniqueFields.value)
          .refine(distinct, "must not name a field twice")
          .optional()
          .meta({ uniqueItems: true }),
      }),
    ),
    fileGroups: entriesOf(
      z.strictObject({
        preset: z.enum(Object.keys(PRESETS) as Preset[]),
        overrides: fileOverrides.optional(),
        phases: phasesOf(fileOverrides),
      }),
    ),
    channels: entriesOf(
      z.strictObject({
        subscribe: audience,
        publish: audience,
        seePresence: audience,
        participatePresence: audience,
      }),
    ),
    connections: entriesOf(
      z.strictObject({
        audience,
        methods: z.array(z.enum(CONNECTION_METHODS)).max(CONNECTION_METHODS.length).optional(),
      }),
    ),
  })
  .meta({ id: "RuntimePolicy" });

import { LIMITS } from "@easel/protocol/limits";
import {
  AUDIENCES,
  type PolicyRight,
  PRESETS,
  type Preset,
  RESOURCE_NAME,
  RIGHTS,
  type RuntimePolicy,
} from "@easel/protocol/policy";
import { type ZodType, z } from "zod";

const PROFILE = /^[a-z][a-z0-9_-]{0,62}$/;

const right = z.enum(Object.keys(RIGHTS) as PolicyRight[]).optional();
const audience = z.enum(AUDIENCES);
const fileRights = { read: right, create: audience.optional(), update: right, delete: right };

/** A table of named entries. Names are looked at before anything is made of them: some are those of every object. */
const named = <Entry>(name: RegExp, entry: ZodType<Entry>) =>
  z
    .custom<object>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      "must be an object",
    )
    .superRefine((value, context) => {
      const names = Object.keys(value);
      const most = LIMITS.policyEntries.value;
      // Of so many names none is worth a word: a body may hold thousands.
      if (names.length > most)
        return context.addIssue({ code: "custom", message: `must not have more than ${most} entries` });
      for (const each of names) {
        if (!name.test(each) || each in Object.prototype || each === "prototype")
          context.addIssue({ code: "custom", message: `\`${each.slice(0, 100)}\` is no name for an entry` });
      }
    })
    .pipe(z.record(z.string(), entry))
    .optional();

/** The policy document, checked whole (specification 2). */
export const policy: ZodType<RuntimePolicy> = z.strictObject({
  defaultMode: z.enum(["read_only", "participation", "collaboration"]).optional(),
  collections: named(
    RESOURCE_NAME,
    z.strictObject({
      preset: z.enum(Object.keys(PRESETS) as Preset[]),
      overrides: z.strictObject({ ...fileRights, increment: right }).optional(),
      aggregateCount: audience.optional(),
    }),
  ),
  fileGroups: named(
    RESOURCE_NAME,
    z.strictObject({
      preset: z.enum(Object.keys(PRESETS) as Preset[]),
      overrides: z.strictObject(fileRights).optional(),
    }),
  ),
  channels: named(
    RESOURCE_NAME,
    z.strictObject({
      subscribe: audience,
      publish: audience,
      seePresence: audience,
      participatePresence: audience,
    }),
  ),
  connections: named(
    PROFILE,
    z.strictObject({
      audience: z.enum(["editors", "viewers"]),
      methods: z
        .array(z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]))
        .max(6)
        .optional(),
    }),
  ),
});

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

const right = z.enum(Object.keys(RIGHTS) as PolicyRight[]).optional();
const audience = z.enum(AUDIENCES);
const fileRights = { read: right, create: audience.optional(), update: right, delete: right };

/**
 * Returns the schema of a section of the policy, such as `collections`: an object that maps names to entries. Checks all names before it
 * parses an entry, because an entry with a name such as `__proto__` must not be parsed.
 */
const entriesOf = <Entry>(entry: ZodType<Entry>) =>
  z
    .custom<object>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      "must be an object",
    )
    .superRefine((value, context) => {
      const names = Object.keys(value);
      const most = LIMITS.policyEntries.value;
      // If there are too many names, invalid ones are not reported one by one, because there can be thousands.
      if (names.length > most)
        return context.addIssue({ code: "custom", message: `must not have more than ${most} entries` });
      for (const each of names) {
        if (!isResourceName(each))
          context.addIssue({ code: "custom", message: `\`${each.slice(0, 100)}\` is not a valid name` });
      }
    })
    .pipe(z.record(z.string(), entry))
    .optional();

/** The schema of the policy document (specification 2). */
export const policy: ZodType<RuntimePolicy> = z
  .strictObject({
    defaultMode: z.enum(["read_only", "participation", "collaboration"]).optional(),
    collections: entriesOf(
      z.strictObject({
        preset: z.enum(Object.keys(PRESETS) as Preset[]),
        overrides: z.strictObject({ ...fileRights, increment: right }).optional(),
        aggregateCount: audience.optional(),
      }),
    ),
    fileGroups: entriesOf(
      z.strictObject({
        preset: z.enum(Object.keys(PRESETS) as Preset[]),
        overrides: z.strictObject(fileRights).optional(),
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
        audience: z.enum(["editors", "viewers"]),
        methods: z.array(z.enum(CONNECTION_METHODS)).max(CONNECTION_METHODS.length).optional(),
      }),
    ),
  })
  .meta({ id: "RuntimePolicy" });

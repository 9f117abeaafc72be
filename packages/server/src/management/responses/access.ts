import { ACCESS_REFUSALS, ACCESS_RULES, type AccessExplanation } from "@easel/protocol/management";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";
import { effectiveRightsFields } from "../../primitives/identity/effective-rights.ts";

const role = z.enum(["owner", "editor", "viewer"]);

export const accessExplanation = exact<AccessExplanation>()(
  "AccessExplanation",
  z.strictObject({
    subject: z.strictObject({
      kind: z.enum(["member", "unknown", "guest", "anonymous"]),
      email: z.string().nullable(),
      name: z.string().nullable(),
    }),
    pages: z.boolean(),
    api: z.boolean(),
    role: role.nullable(),
    code: z.enum(ACCESS_REFUSALS).nullable(),
    steps: z.array(
      z.strictObject({
        rule: z.enum(ACCESS_RULES),
        outcome: z.enum(["passed", "refused", "not_reached"]),
        closes: z.array(z.enum(["pages", "api"])),
        because: z.string(),
      }),
    ),
    grants: z.array(
      z.strictObject({
        via: z.enum(["owner", "person", "team", "organisation", "invitation", "link"]),
        role,
        team: z.string().optional(),
      }),
    ),
    ...effectiveRightsFields,
  }),
);

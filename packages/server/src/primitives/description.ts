import { LIMITS } from "@easel/protocol/limits";
import { OPERATIONS } from "@easel/protocol/policy";
import type { Rights } from "@easel/protocol/types";
import { type ZodType, z } from "zod";
import { exact } from "../http/field-schemas.ts";
import type { Description } from "../operations/operation.ts";

/** Describes the one successful response of an operation, which is JSON. */
export const json = (description: string, schema: ZodType, status = 200): Description["responses"] => ({
  [status]: { description, type: "application/json", schema },
});

/** The schema of the response to a write that returns nothing else. */
const done = z.strictObject({ ok: z.literal(true) }).meta({ id: "Done" });

/** Describes the response `{ "ok": true }`. */
export const ok = json("The write is durable.", done);

/** The bytes of a file, as a part of a form. */
export const bytes = z.string().meta({ contentMediaType: "application/octet-stream" });

/** The cursor of the next page. */
export const nextCursor = z.string().nullable().meta({ description: "Null on the last page." });

/** The query parameters of a list that is read in pages. */
export const paging = {
  cursor: z
    .string()
    .optional()
    .meta({ description: "`nextCursor` of the previous page; absent for the first page." }),
  limit: z
    .int()
    .min(1)
    .max(LIMITS.pageMax.value)
    .default(LIMITS.pageDefault.value)
    .meta({ description: "The maximum number of entries of the page." }),
};

/** The schema of the caller's rights on a collection or a file group. */
export const rights = exact<Rights>()(
  "Rights",
  z.record(z.enum(OPERATIONS), z.strictObject({ own: z.boolean(), any: z.boolean() })),
);

/** The text of the response that `ok` describes. */
export const OK = '{"ok":true}';

import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { plainPath } from "./filter.ts";
import { refuseScim } from "./scim-error.ts";

/** The most attributes that a PATCH changes: each of an object of attributes counts. Providers send a few. */
const MAX_CHANGES = 1_000;

/** A value of a body, which is JSON already. Checking it again would take as long as all other work. */
const json = z.custom<Json>((value) => value !== undefined);

/** The body of a PATCH (RFC 7644, section 3.5.2). Providers differ in the letter case of `op`, and Entra sends `Add` and `Replace`. */
const Patch = z.object({
  Operations: z.array(
    z.object({
      op: z
        .string()
        .transform((op) => op.toLowerCase())
        .pipe(z.enum(["add", "replace", "remove"])),
      path: z.string().max(1_000).optional(),
      value: json.optional(),
    }),
  ),
});

const Sent = z.object({ Operations: z.array(json) });

/** One change of one attribute. */
export interface Change {
  op: "add" | "replace" | "remove";
  /** The path in lower case, without its schema and without conditions. */
  attribute: string;
  /** The path as it was sent, or an empty text. */
  path: string;
  value: Json | undefined;
}

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the number of changes that an operation stands for, which is not checked yet. */
function sizeOf(operation: Json): number {
  const { path, value } = isObject(operation) ? operation : {};
  return path === undefined && isObject(value) ? Object.keys(value).length : 1;
}

/**
 * Reads the changes of a PATCH, one for each attribute: a value without a path is an object of attributes. Throws 400 `tooMany` above 1,000, before
 * any of them is looked at, and a `ZodError` for what is no PATCH.
 */
export function changesOf(body: Json): Change[] {
  const { Operations: sent } = Sent.parse(body);
  let size = 0;
  for (const operation of sent) {
    size += sizeOf(operation);
    if (size > MAX_CHANGES)
      refuseScim(400, `A PATCH changes at most ${MAX_CHANGES} attributes; send several.`, "tooMany");
  }
  return Patch.parse(body).Operations.flatMap(({ op, path, value }): Change[] => {
    if (path !== undefined) return [{ op, attribute: plainPath(path), path, value }];
    if (!isObject(value)) return [];
    return Object.entries(value).map(([name, each]) => ({
      op,
      attribute: plainPath(name),
      path: name,
      value: each,
    }));
  });
}

/** Reads a boolean. Entra sends the texts `True` and `False`. Undefined for anything else. */
export function booleanOf(value: Json | undefined): boolean | undefined {
  const text = typeof value === "string" ? value.toLowerCase() : value;
  return text === true || text === "true" ? true : text === false || text === "false" ? false : undefined;
}

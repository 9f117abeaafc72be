import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { plainPath } from "./filter.ts";

/** The body of a PATCH (RFC 7644, section 3.5.2). Providers differ in the letter case of `op`, and Entra sends `Add` and `Replace`. */
export const Patch = z.object({
  Operations: z
    .array(
      z.object({
        op: z
          .string()
          .transform((op) => op.toLowerCase())
          .pipe(z.enum(["add", "replace", "remove"])),
        path: z.string().max(1_000).optional(),
        value: z.json().optional(),
      }),
    )
    .max(1_000),
});

/** One change of one attribute. */
export interface Change {
  op: "add" | "replace" | "remove";
  /** The path in lower case, without its schema and without conditions. */
  attribute: string;
  /** The path as it was sent, or an empty text. */
  path: string;
  value: Json | undefined;
}

/** Returns the changes of a PATCH, one for each attribute: a value without a path is an object of attributes. */
export const changesOf = ({ Operations }: z.output<typeof Patch>): Change[] =>
  Operations.flatMap(({ op, path, value }): Change[] => {
    if (path !== undefined) return [{ op, attribute: plainPath(path), path, value }];
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return Object.entries(value).map(([name, each]) => ({
      op,
      attribute: plainPath(name),
      path: name,
      value: each,
    }));
  });

/** Reads a boolean. Entra sends the texts `True` and `False`. Undefined for anything else. */
export function booleanOf(value: Json | undefined): boolean | undefined {
  const text = typeof value === "string" ? value.toLowerCase() : value;
  return text === true || text === "true" ? true : text === false || text === "false" ? false : undefined;
}

import { z } from "zod";
import { title } from "../canvases/publishing/canvas-schemas.ts";
import { printable } from "../http/field-schemas.ts";
import { policy } from "./policy-schema.ts";

const needed = z.boolean().optional();

/** The capabilities that a page needs. The first deploy switches them on or off. */
const capabilities = z.strictObject({
  kv: needed,
  files: needed,
  ai: needed,
  realtime: needed,
  authoring: needed,
});

/** The schema of `easel.json`, which describes the canvas of its folder. */
export const manifest = z.strictObject({
  title: title.optional(),
  description: printable.optional(),
  policy: policy.optional(),
  capabilities: capabilities.optional(),
});

/** Returns the faults of an `easel.json`, one sentence each, with the path of the field. */
export function faultsOf(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [`not valid JSON: ${(error as Error).message}`];
  }
  const { error } = manifest.safeParse(value);
  return (error?.issues ?? []).flatMap((issue) => {
    const at = (key?: string) => [...issue.path, ...(key === undefined ? [] : [key])].join(".");
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => `\`${at(key)}\` is unknown`);
    return [issue.path.length === 0 ? issue.message : `\`${at()}\`: ${issue.message}`];
  });
}

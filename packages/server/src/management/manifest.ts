import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { label, printable } from "./fields.ts";
import { policy } from "./policy.ts";

/** What an `easel.json` says of the canvas in its folder: a title for it, what it is, and who may do what with its records. */
export const manifest = z.strictObject({
  title: label(LIMITS.titleLength.value).optional(),
  description: printable.optional(),
  policy: policy.optional(),
});

/** What is wrong with the text of an `easel.json`, one sentence for each place, by its path; empty when nothing is. */
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

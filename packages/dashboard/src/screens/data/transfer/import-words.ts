import type { ImportResult } from "@easel/protocol/management";
import { countOf } from "../../../kit/words.ts";

/** The parts of the data, in words. */
export const PART_NAMES = {
  kv: "Keys",
  collections: "Records",
  submissions: "Submissions",
  files: "Files",
} as const;

const REASONS: Record<string, string> = {
  EXISTS: "existed already and were kept",
  OTHER_AUTHOR: "are of other people: only they can submit for themselves",
  UNKNOWN_FILE: "are no part of an export",
  INVALID_BODY: "are not valid",
  PERMISSION_DENIED: "you may not write",
  COLLECTION_NOT_CONFIGURED: "belong to a collection or group that the policy does not have",
  CAPABILITY_DISABLED: "belong to a part that is switched off",
  KEY_LIMIT: "did not fit: the limit of the canvas is reached",
  KEY_TOO_LARGE: "have a key that is too long",
  VALUE_TOO_LARGE: "are larger than a value may be",
  FILE_TOO_LARGE: "are larger than a file may be",
  QUOTA_EXCEEDED: "did not fit: the quota for files is used up",
  NOT_UNIQUE: "are not unique, as the policy asks",
  NOT_FOUND: "belong to a record that does not exist",
};

/** Returns why entries were left out, in words that follow their number. A reason that is not known is its code. */
export const reasonOf = (code: string): string =>
  Object.hasOwn(REASONS, code) ? (REASONS[code] as string) : `were refused (${code})`;

/** Returns what an import has done, in one sentence. */
export function summaryOf({ imported, skipped }: ImportResult): string {
  const done = Object.values(imported).reduce((sum, each) => sum + each, 0);
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  if (done === 0 && left === 0) return "The zip had nothing to import.";
  return `Imported ${countOf(done, "entry", "entries")}${left === 0 ? "" : `, left out ${countOf(left, "other")}`}.`;
}

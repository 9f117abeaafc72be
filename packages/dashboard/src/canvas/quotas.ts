import type { Usage } from "../api/types.ts";
import { bytesOf } from "../kit/bytes.ts";

/** The share of a quota above which it is shown. */
const TIGHT = 0.6;

/** The quotas in words. Those of a person count all canvases of the owner. */
const WORDS: Record<string, string> = {
  "kv.keys.shared": "Shared keys",
  "kv.keys.user": "Keys of one person",
  "submissions.canvas": "Submissions",
  "submissions.author": "Submissions of one person",
  "collections.records.canvas": "Records",
  "files.bytes.file": "Largest file",
  "files.bytes.canvas": "Files",
  "versions.canvas": "Versions",
  "canvases.person": "Canvases of the owner",
  "bundles.bytes.person": "Versions of all canvases of the owner",
  "files.bytes.person": "Files of all canvases of the owner",
};

/** A quota of which much is used. `share` is from 0 to 1, also if more than all is used. */
export interface TightQuota {
  name: string;
  label: string;
  /** Such as "240 of 250". */
  amount: string;
  share: number;
}

const number = new Intl.NumberFormat("en");

/** Returns the quotas of which more than 60 % are used, the fullest first. */
export function tightQuotas(counts: Usage["counts"]): TightQuota[] {
  return Object.entries(counts)
    .filter(([, { used, limit }]) => used > limit * TIGHT)
    .map(([name, { used, limit }]) => {
      const words = name.includes(".bytes.") ? bytesOf : number.format;
      return {
        name,
        label: WORDS[name] ?? name,
        amount: `${words(used)} of ${words(limit)}`,
        share: limit === 0 ? 1 : Math.min(used / limit, 1),
      };
    })
    .sort((a, b) => b.share - a.share);
}

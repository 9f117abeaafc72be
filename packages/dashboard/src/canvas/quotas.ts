import type { Usage } from "../api/types.ts";
import { bytesOf } from "../kit/bytes.ts";
import { shareOf } from "../kit/share.ts";

/** The share of a quota above which it is shown. */
const TIGHT = 0.6;

/** What a quota is called, and what happens once it is used up. Those of a person count all canvases of the owner. */
const WORDS: Record<string, { label: string; atLimit: string }> = {
  "kv.keys.shared": {
    label: "Shared keys",
    atLimit: "New keys are refused; those that are there can still be changed.",
  },
  "kv.keys.user": {
    label: "Keys of one person",
    atLimit: "This counts the person who has the most. New keys of that person are refused.",
  },
  "submissions.canvas": { label: "Submissions", atLimit: "New submissions are refused." },
  "submissions.author": {
    label: "Submissions of one person",
    atLimit: "This counts the person who has the most. New submissions of that person are refused.",
  },
  "collections.records.canvas": {
    label: "Records",
    atLimit: "New records are refused; those that are there can still be changed.",
  },
  "files.bytes.file": { label: "Largest file", atLimit: "Larger files are refused." },
  "files.bytes.canvas": { label: "Files", atLimit: "Uploads are refused until files are deleted." },
  "versions.canvas": {
    label: "Versions",
    atLimit: "The oldest version makes room for each new one; the live one always stays.",
  },
  "canvases.person": { label: "Canvases of the owner", atLimit: "The owner can make no other canvas." },
  "bundles.bytes.person": {
    label: "Versions of all canvases of the owner",
    atLimit: "Deploys are refused until old versions or canvases are deleted.",
  },
  "files.bytes.person": {
    label: "Files of all canvases of the owner",
    atLimit: "Uploads are refused on all canvases of the owner.",
  },
};

/** How much of a quota is used. `share` is from 0 to 1, also if more than all is used. */
export interface QuotaInWords {
  name: string;
  label: string;
  /** Such as "240 of 250". */
  amount: string;
  share: number;
  /** What happens once it is used up. */
  atLimit: string;
}

const number = new Intl.NumberFormat("en");

/** Returns how much of a quota is used, in words and as a share. Those of bytes are told by their names. */
export function fillOf(
  name: string,
  { used, limit }: { used: number; limit: number },
): Pick<QuotaInWords, "amount" | "share"> {
  const words = name.includes(".bytes.") ? bytesOf : number.format;
  return {
    amount: `${words(used)} of ${words(limit)}`,
    share: shareOf(used, limit),
  };
}

/** Returns the quotas of a canvas in words: those of the canvas, then those of its owner. */
export function quotasOf(counts: Usage["counts"]): QuotaInWords[] {
  const names = Object.keys(WORDS);
  const placeOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length);
  return Object.entries(counts)
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([name, quota]) => {
      const { label, atLimit } = WORDS[name] ?? { label: name, atLimit: "More is refused." };
      return { name, label, ...fillOf(name, quota), atLimit };
    });
}

/** Returns the quotas of which more than 60 % are used, the fullest first. */
export const tightQuotas = (counts: Usage["counts"]): QuotaInWords[] =>
  quotasOf(
    Object.fromEntries(Object.entries(counts).filter(([, { used, limit }]) => used > limit * TIGHT)),
  ).sort((a, b) => b.share - a.share);

import type { OwnUsage } from "../../api/types.ts";
import { fillOf } from "../../canvas/quotas.ts";
import { dayName } from "../../kit/days.ts";
import { dollarsOf } from "../../kit/money.ts";
import { shareOf } from "../../kit/share.ts";

/** How much of something is used, and what happens once it is used up. */
export interface Filled {
  name: string;
  label: string;
  amount: string;
  /** From 0 to 1. */
  share: number;
  note: string;
}

/** The quotas in the order in which they are shown, each with what happens at its limit. */
const QUOTAS: [name: keyof OwnUsage["quotas"], label: string, note: string][] = [
  ["canvases.person", "Canvases", "At the limit, delete one before you make another."],
  [
    "bundles.bytes.person",
    "Files of your versions",
    "All versions of all your canvases, those in the trash included. At the limit, nothing more can be deployed.",
  ],
  [
    "files.bytes.person",
    "Uploads to your canvases",
    "What people upload through your pages. At the limit, pages cannot store further files.",
  ],
  [
    "versions.canvas",
    "Versions of one canvas",
    "The most that one of yours has. At the limit, a deploy removes the oldest one.",
  ],
];

/** Returns the use of each own quota. */
export const ownQuotas = ({ quotas }: OwnUsage): Filled[] =>
  QUOTAS.map(([name, label, note]) => ({ name, label, note, ...fillOf(name, quotas[name]) }));

/** Returns what was spent on AI today, and what running requests may still cost. */
export function ownSpend({ ai: { day, spent, reserved, limit } }: OwnUsage): Filled {
  const running = reserved > 0 ? ` Calls under way may cost ${dollarsOf(reserved)} more.` : "";
  return {
    name: "ai",
    label: "AI today",
    amount: `${dollarsOf(spent)} of ${dollarsOf(limit)}`,
    share: shareOf(spent, limit),
    note: `You and your guests on ${dayName(day)} (UTC).${running} At the limit, further AI calls are refused until the next day.`,
  };
}

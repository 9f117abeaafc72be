import { codeOf } from "@easel/protocol/call-hints";
import type { CallLog } from "../api/types.ts";

const DAY_MS = 86_400_000;

/** Calls that were refused or failed, or errors of pages, with the same code, and the message of the newest one. */
export interface Failures {
  code: string;
  message: string | null;
  count: number;
}

/**
 * Returns the refused and failed calls and the errors of pages of the last 24 hours by code, the most frequent first. `entries` are the newest ones of the call
 * log, oldest first.
 */
export function failuresOf(entries: CallLog["entries"], now: number): Failures[] {
  const found = new Map<string, Failures>();
  for (const { at, message, pageError, ...call } of entries) {
    if (at < now - DAY_MS) continue;
    const name = codeOf(call);
    found.set(name, { code: name, message, count: (found.get(name)?.count ?? 0) + (pageError?.count ?? 1) });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

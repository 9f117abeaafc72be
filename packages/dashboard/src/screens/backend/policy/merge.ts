import type { RuntimePolicy } from "@easel/protocol/policy";
import { isSame } from "@easel/server/easel-json-changes";
import { type Entry, type EntryName, entryIn, SECTIONS, withEntry } from "./document.ts";

/** An entry that both have changed, in different ways. Undefined is an entry that was removed. */
export interface Conflict extends EntryName {
  mine: Entry | undefined;
  theirs: Entry | undefined;
}

export interface Merged {
  policy: RuntimePolicy;
  /** The entries that somebody has to decide about. Until then, the merged policy has mine. */
  conflicts: Conflict[];
  /** The entries that only the others have changed. */
  taken: EntryName[];
}

/**
 * Merges two changes of a policy, entry by entry: what one side has left as it was is as the other side has it. Entries keep the order of
 * `theirs`, new ones of `mine` follow. The starting choice of dashboards is mine if I have changed it.
 */
export function mergePolicies(base: RuntimePolicy, mine: RuntimePolicy, theirs: RuntimePolicy): Merged {
  const merged: Merged = { policy: theirs, conflicts: [], taken: [] };
  for (const section of SECTIONS) {
    const names = new Set([base, theirs, mine].flatMap((policy) => Object.keys(policy[section] ?? {})));
    for (const name of names) {
      const at = { section, name };
      const [was, own, other] = [entryIn(base, at), entryIn(mine, at), entryIn(theirs, at)];
      if (isSame(own, other)) continue;
      if (isSame(own, was)) {
        merged.taken.push(at);
        continue;
      }
      if (!isSame(other, was)) merged.conflicts.push({ ...at, mine: own, theirs: other });
      merged.policy = withEntry(merged.policy, at, own);
    }
  }
  if (mine.defaultMode !== base.defaultMode) {
    const { defaultMode: _, ...rest } = merged.policy;
    merged.policy = mine.defaultMode === undefined ? rest : { defaultMode: mine.defaultMode, ...rest };
  }
  return merged;
}

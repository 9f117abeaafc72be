import type { Version } from "../../api/types.ts";
import { countOf } from "../../kit/words.ts";
import type { Difference } from "./compare.ts";

const list = new Intl.ListFormat("en", { type: "unit" });

/** Returns what a version changed in words, for screen readers: "2 files added, 1 changed, none removed". */
export const changedWords = ({ added, changed, removed }: NonNullable<Version["changed"]>): string =>
  [
    `${countOf(added, "file")} added`,
    `${changed === 0 ? "none" : changed} changed`,
    `${removed === 0 ? "none" : removed} removed`,
  ].join(", ");

/** Returns what a version changed in signs: "+2 ~1 −0". */
export const changedSigns = ({ added, changed, removed }: NonNullable<Version["changed"]>): string =>
  `+${added} ~${changed} −${removed}`;

/** Returns the number of differences, such as "5 files differ" or "No file differs". */
export function differWords({ length }: readonly Difference[]): string {
  if (length === 0) return "No file differs";
  return countOf(length, "file differs", "files differ");
}

/** Returns the numbers of differences by their kinds, such as "5 files differ: 3 changed, 1 added, 1 renamed". */
export function differencesWords(differences: readonly Difference[]): string {
  if (differences.length === 0) return differWords(differences);
  const kinds = (["changed", "added", "removed", "renamed"] as const).flatMap((kind) => {
    const count = differences.filter((each) => each.kind === kind).length;
    return count === 0 ? [] : [`${count.toLocaleString("en")} ${kind}`];
  });
  return `${differWords(differences)}: ${list.format(kinds)}`;
}

/**
 * Returns what publishing a version is called: a version that was stored before the live one and was published already is rolled back to.
 * `versions` are sorted from the newest.
 */
export function publishWord(version: Version, versions: readonly Version[]): "Roll back" | "Publish" {
  const live = versions.findIndex(({ current }) => current);
  const own = versions.findIndex(({ id }) => id === version.id);
  return version.published && live !== -1 && own > live ? "Roll back" : "Publish";
}

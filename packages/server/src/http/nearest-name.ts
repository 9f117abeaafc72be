/**
 * Returns the minimum number of edits that turn one text into another. An edit inserts, deletes or replaces one letter, or swaps two
 * adjacent letters.
 */
function distance(from: string, to: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}

/** Names of this length or more are not compared, because every known name is shorter. */
const MAX_LENGTH = 40;

/**
 * Returns the known name that a misspelt name most likely stands for. Returns undefined if every known name differs from the misspelt one
 * in more than 40 % of the letters.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length >= MAX_LENGTH) return undefined;
  const ranked = known
    .map((each) => ({ each, off: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, off }) => off <= Math.max(each.length, name.length) * 0.4)
    .sort((a, b) => a.off - b.off);
  return ranked[0]?.each;
}

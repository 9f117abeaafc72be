import { diffArrays, diffWordsWithSpace } from "diff";

/** A line of a text: its number, from 1, and its text with the line feed. */
export interface Line {
  number: number;
  text: string;
}

/** A line of a comparison. An equal or changed line is on both sides, a removed one on the left, an added one on the right. */
export interface Row {
  kind: "equal" | "changed" | "removed" | "added";
  left: Line | null;
  right: Line | null;
}

/** The time after which two texts count as different in every line. It keeps the page responsive. */
const TIMEOUT_MS = 2_000;
/** The number of equal lines that are shown around a difference. */
const CONTEXT = 3;
/** The longest line in which words are compared. */
const MAX_WORDS = 500;

const linesOf = (text: string): string[] => (text === "" ? [] : text.split(/(?<=\n)/));

/** Returns the lines of a text that is compared with nothing. */
export const rowsOf = (text: string): Row[] =>
  linesOf(text).map((line, index) => {
    const same = { number: index + 1, text: line };
    return { kind: "equal", left: same, right: same };
  });

/** Pairs lines that were replaced in their order. */
function pair(left: readonly Line[], right: readonly Line[]): Row[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const rest = { left: left[index] ?? null, right: right[index] ?? null };
    return {
      kind: rest.left === null ? "added" : rest.right === null ? "removed" : "changed",
      ...rest,
    } satisfies Row;
  });
}

/** Compares two texts line by line. */
export function compareTexts(before: string, after: string): Row[] {
  const [left, right] = [linesOf(before), linesOf(after)];
  const parts = diffArrays(left, right, { timeout: TIMEOUT_MS }) ?? [
    { value: left, removed: true, added: false },
    { value: right, removed: false, added: true },
  ];
  const rows: Row[] = [];
  let [atLeft, atRight] = [0, 0];
  let replaced: Line[] = [];
  const flush = (by: Line[]) => {
    rows.push(...pair(replaced, by));
    replaced = [];
  };
  for (const { value, removed, added } of parts) {
    if (removed) {
      flush([]);
      replaced = value.map((text) => ({ number: ++atLeft, text }));
    } else if (added) flush(value.map((text) => ({ number: ++atRight, text })));
    else {
      flush([]);
      for (const text of value)
        rows.push({
          kind: "equal",
          left: { number: ++atLeft, text },
          right: { number: ++atRight, text },
        });
    }
  }
  flush([]);
  return rows;
}

/** Rows of a comparison that are shown, or, if `isFolded`, equal ones that are far from any difference. */
export interface Section {
  isFolded: boolean;
  rows: Row[];
}

/** Divides a comparison into what is shown and what is folded: equal lines that are not beside a difference, if they are more than a few. */
export function sectionsOf(rows: readonly Row[]): Section[] {
  const sections: Section[] = [];
  const add = (isFolded: boolean, some: Row[]) => {
    if (some.length > 0) sections.push({ isFolded, rows: some });
  };
  let shown: Row[] = [];
  for (let at = 0; at < rows.length; ) {
    let end = at;
    while (end < rows.length && rows[end]?.kind === "equal") end++;
    const from = at === 0 ? 0 : at + CONTEXT;
    const to = end === rows.length ? end : end - CONTEXT;
    if (to - from > CONTEXT) {
      add(false, [...shown, ...rows.slice(at, from)]);
      add(true, rows.slice(from, to));
      shown = rows.slice(to, end);
    } else shown.push(...rows.slice(at, end));
    for (at = end; at < rows.length && rows[at]?.kind !== "equal"; at++) shown.push(rows[at] as Row);
  }
  add(false, shown);
  return sections;
}

/** A part of a line, and whether the line on the other side does not have it. */
export interface Piece {
  text: string;
  isDifferent: boolean;
}

/**
 * Compares two lines word by word. Returns null if that says nothing: the lines are very long, or have little in common.
 */
export function compareWords(left: string, right: string): { left: Piece[]; right: Piece[] } | null {
  if (Math.max(left.length, right.length) > MAX_WORDS) return null;
  const parts = diffWordsWithSpace(left, right);
  const common = parts.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  if (common * 3 < Math.min(left.trim().length, right.trim().length)) return null;
  const side = (other: "added" | "removed"): Piece[] =>
    parts
      .filter((part) => !part[other])
      .map(({ value, added, removed }) => ({ text: value, isDifferent: added || removed }));
  return { left: side("added"), right: side("removed") };
}

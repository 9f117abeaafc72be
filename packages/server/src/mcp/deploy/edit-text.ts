import type { Work } from "../../async/work.ts";

/** An edit of a text: `old` is replaced by `new`. Unless `all` is true, `old` must occur exactly once. */
export interface Edit {
  old: string;
  new: string;
  all?: boolean | undefined;
}

/** The result of an edit: the new text, or what keeps the edit from being made, as the rest of a sentence about `old`. */
export type Edited = { text: string } | { fault: string };

/** The maximum length of an edited text in UTF-16 code units. */
export const MAX_EDITED_LENGTH = 1024 * 1024;

/** How many characters are searched without a pause. */
const AT_ONCE = 128 * 1024;

/** The number of places that a fault names by their lines. */
const SHOWN_PLACES = 3;

/**
 * Returns for each length of a beginning of `part` the length of the longest beginning that the text of this length also ends with, as the
 * search of Knuth, Morris and Pratt needs it.
 */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length + 1);
  let length = 0;
  for (let end = 1; end < part.length; end++) {
    while (length > 0 && part.charCodeAt(end) !== part.charCodeAt(length)) length = borders[length] as number;
    if (part.charCodeAt(end) === part.charCodeAt(length)) length++;
    borders[end + 1] = length;
  }
  return borders;
}

/** Where a part occurs in a text: how often, and the first of these indexes. */
interface Places {
  count: number;
  first: number[];
}

/**
 * Returns where `part` occurs in a text, with at most `kept` indexes. `apart`: occurrences that overlap one before them do not count. Takes
 * time in proportion to the length of the text, whatever it contains: a text and a part can be chosen so that `indexOf` compares nearly all of the
 * part at every index.
 */
async function placesOf(
  text: string,
  part: string,
  { apart, kept }: { apart: boolean; kept: number },
  work: Work,
): Promise<Places> {
  const places: Places = { count: 0, first: [] };
  if (part.length > text.length) return places;
  const borders = bordersOf(part);
  let length = 0;
  for (let end = 0; end < text.length; end++) {
    if (end % AT_ONCE === 0) await work.pause();
    while (length > 0 && text.charCodeAt(end) !== part.charCodeAt(length)) length = borders[length] as number;
    if (text.charCodeAt(end) === part.charCodeAt(length)) length++;
    if (length < part.length) continue;
    if (places.count++ < kept) places.first.push(end - length + 1);
    length = apart ? 0 : (borders[length] as number);
  }
  return places;
}

/** Returns the number of the line that has an index of a text. */
function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** Returns the numbers of the lines of the first places in words, such as `in the lines 3, 9 and 12`. */
function linesOf(text: string, places: number[]): string {
  const lines = places.map((place) => lineAt(text, place));
  return `in the lines ${lines.slice(0, -1).join(", ")} and ${lines.at(-1)}`;
}

/** Converts the line ends of a text to those of Windows. */
const withCrLf = (text: string): string => text.replace(/\r?\n/g, "\r\n");

const INSTEAD = "Nothing was changed. Send the file whole, as `text`.";

/**
 * Makes an edit of a text. If `old` occurs only with the line ends of Windows, which the text has, `new` gets them, too. The result has at
 * most `MAX_EDITED_LENGTH` code units. Counts the characters that are searched and the occurrences that are replaced as work, and throws 400
 * `INVALID_BODY` if that is too much for one call.
 */
export async function editText(
  text: string,
  { old, new: replacement, all = false }: Edit,
  work: Work,
): Promise<Edited> {
  if (old === "") return { fault: "is empty" };
  work.spend("characters", text.length, INSTEAD);
  const kept = all ? work.left("matches") : SHOWN_PLACES;
  const { count, first } = await placesOf(text, old, { apart: all, kept }, work);
  const windows = withCrLf(old);
  if (count === 0 && windows !== old && text.includes("\r\n"))
    return editText(text, { old: windows, new: withCrLf(replacement), all }, work);
  if (count === 0) return { fault: "does not occur" };
  if (count > 1 && !all) return { fault: `occurs ${count} times, ${linesOf(text, first)}` };
  if (text.length + count * (replacement.length - old.length) > MAX_EDITED_LENGTH)
    return { fault: "would make the file larger than 1 MiB" };
  work.spend("matches", count, INSTEAD);
  let end = 0;
  const pieces = first.map((place) => {
    const before = text.slice(end, place);
    end = place + old.length;
    return before + replacement;
  });
  return { text: pieces.join("") + text.slice(end) };
}

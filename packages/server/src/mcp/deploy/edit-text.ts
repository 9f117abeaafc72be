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

/**
 * Returns every index at which `part` occurs in a text, also where occurrences overlap. Takes time in proportion to the length of both, whatever
 * they contain: a text and a part can be chosen so that `indexOf` compares nearly all of the part at every index.
 */
function placesOf(text: string, part: string): number[] {
  const borders = bordersOf(part);
  const places: number[] = [];
  let length = 0;
  for (let end = 0; end < text.length; end++) {
    while (length > 0 && text.charCodeAt(end) !== part.charCodeAt(length)) length = borders[length] as number;
    if (text.charCodeAt(end) === part.charCodeAt(length)) length++;
    if (length < part.length) continue;
    places.push(end - length + 1);
    length = borders[length] as number;
  }
  return places;
}

/** Returns the places that do not overlap one before them. */
function apart(places: number[], length: number): number[] {
  let end = 0;
  return places.filter((place) => {
    if (place < end) return false;
    end = place + length;
    return true;
  });
}

/** Returns the numbers of the lines of the first places in words, such as `in the lines 3, 9 and 12`. */
function linesOf(text: string, places: number[]): string {
  const lines = places.slice(0, SHOWN_PLACES).map((place) => text.slice(0, place).split("\n").length);
  return `in the lines ${lines.slice(0, -1).join(", ")} and ${lines.at(-1)}`;
}

/** Converts the line ends of a text to those of Windows. */
const withCrLf = (text: string): string => text.replace(/\r?\n/g, "\r\n");

/**
 * Makes an edit of a text. If `old` occurs only with the line ends of Windows, which the text has, `new` gets them, too. The result has at
 * most `MAX_EDITED_LENGTH` code units.
 */
export function editText(text: string, { old, new: replacement, all = false }: Edit): Edited {
  if (old === "") return { fault: "is empty" };
  const places = placesOf(text, old);
  const windows = withCrLf(old);
  if (places.length === 0 && windows !== old && text.includes("\r\n"))
    return editText(text, { old: windows, new: withCrLf(replacement), all });
  if (places.length === 0) return { fault: "does not occur" };
  if (places.length > 1 && !all) return { fault: `occurs ${places.length} times, ${linesOf(text, places)}` };
  const replaced = apart(places, old.length);
  if (text.length + replaced.length * (replacement.length - old.length) > MAX_EDITED_LENGTH)
    return { fault: "would make the file larger than 1 MiB" };
  let end = 0;
  const pieces = replaced.map((place) => {
    const before = text.slice(end, place);
    end = place + old.length;
    return before + replacement;
  });
  return { text: pieces.join("") + text.slice(end) };
}

import { countWithin } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";

/*
 * An answer has at most 20 KB of text. What has more says where it was cut, and `next` is the argument of the call that goes on.
 */

/** The maximum size of what an answer contains in bytes of UTF-8, without the sentences around it. Programs cut longer ones. */
export const ANSWER_BYTES = 20 * 1024;

/** Entries of a list with their lines, and where the next answer begins; null at the end. */
export interface FittingPage<Entry> {
  entries: Entry[];
  lines: string[];
  next: string | null;
}

/**
 * Reads a page of a list that fits into an answer: at most `limit` entries. If their lines are too long together, reads fewer, so that the
 * cursor is that of the last entry shown. `lineOf` cuts an entry that is too long alone.
 */
export async function fittingPage<Entry>(
  limit: number,
  read: (limit: number) => Promise<{ entries: Entry[]; next: string | null }>,
  lineOf: (entry: Entry) => string,
): Promise<FittingPage<Entry>> {
  const { entries, next } = await read(limit);
  const lines = entries.map(lineOf);
  const fits = countWithin(lines, ANSWER_BYTES, (line) => Buffer.byteLength(line) + 1);
  return fits < lines.length ? fittingPage(fits, read, lineOf) : { entries, lines, next };
}

/** Part of a text, and the offset at which the next one begins, as a text; null at the end. */
export interface TextPart {
  text: string;
  next: string | null;
}

/**
 * Returns the longest prefix of a text that has at most `room` bytes: whole lines, or whole characters of a line that is longer.
 */
export function prefixWithin(text: string, room: number): string {
  if (Buffer.byteLength(text) <= room) return text;
  const bytes = Buffer.from(text.slice(0, room));
  let end = Math.min(room, bytes.length);
  // A byte 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  const prefix = bytes.toString("utf8", 0, end);
  const line = prefix.lastIndexOf("\n") + 1;
  return line > 0 ? prefix.slice(0, line) : prefix;
}

/** Returns the part of a text that fits into an answer. `next` is that of the part before. Throws 400 `INVALID_BODY` if it is of no part. */
export function textPart(text: string, next: string | undefined, room = ANSWER_BYTES): TextPart {
  const offset = next === undefined ? 0 : /^\d{1,9}$/.test(next) ? Number(next) : Number.NaN;
  if (!(offset <= text.length))
    refuse("INVALID_BODY", { message: "`next` is not of this answer.", field: "next" });
  const part = prefixWithin(text.slice(offset), room);
  const end = offset + part.length;
  return { text: part, next: end < text.length ? String(end) : null };
}

/** Says how to go on where an answer was cut. */
export const more = (next: string | null): string =>
  next === null ? "" : `\nThere is more: call again with \`next\`: ${JSON.stringify(next)}.`;

import type { Readable } from "node:stream";
import type { Work } from "../async/work.ts";
import { prefixWithin } from "./answer-text.ts";

const INSTEAD = "Read fewer files in one call.";

/** Where in a file reading begins: at a byte, which is in a line, counted from 1. */
export interface Place {
  offset: number;
  line: number;
}

/** Part of the text of a file: the lines `from` to `to`, and where the next part begins; null at the end of the file or of the range. */
export interface FileText {
  text: string;
  from: number;
  to: number;
  next: Place | null;
}

/** Returns the number of line ends of a text. */
function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Returns the index after `count` line ends of a text, or null if it has fewer. */
function indexAfterLines(text: string, count: number): number | null {
  let index = 0;
  for (let line = 0; line < count; line++) {
    index = text.indexOf("\n", index) + 1;
    if (index === 0) return null;
  }
  return index;
}

/** Collects the lines of a range of a text that comes in pieces, until they are longer than an answer. */
class Lines {
  readonly #last: number;
  readonly #room: number;
  /** The place of the next piece while lines are skipped, afterwards that of the text. */
  #at: Place;
  #skips: number;
  #text = "";

  constructor(start: Place, { first, last }: { first: number; last: number }, room: number) {
    this.#at = { ...start };
    this.#skips = Math.max(0, first - start.line);
    this.#last = last;
    this.#room = room;
  }

  /** Adds a piece. Returns false if no more is needed. */
  add(given: string): boolean {
    let piece = given;
    if (this.#skips > 0) {
      const index = indexAfterLines(piece, this.#skips);
      const skipped = index === null ? piece : piece.slice(0, index);
      this.#skips = index === null ? this.#skips - linesIn(piece) : 0;
      this.#at = {
        offset: this.#at.offset + Buffer.byteLength(skipped),
        line: this.#at.line + linesIn(skipped),
      };
      piece = piece.slice(skipped.length);
    }
    this.#text += piece;
    const end = indexAfterLines(this.#text, this.#last - this.#at.line + 1);
    if (end !== null) {
      this.#text = this.#text.slice(0, end);
      return false;
    }
    return Buffer.byteLength(this.#text) <= this.#room;
  }

  /** Returns what has been collected. `isCut`: the text goes on after the last piece. */
  result(isCut: boolean): FileText {
    const text = prefixWithin(this.#text, this.#room);
    const { offset, line } = this.#at;
    const after = line + linesIn(text);
    const next =
      isCut || text.length < this.#text.length
        ? { offset: offset + Buffer.byteLength(text), line: after }
        : null;
    // A text that ends with a line end ends in the line before.
    return {
      text,
      from: line,
      to: text.endsWith("\n") ? after - 1 : after,
      next,
    };
  }
}

/**
 * Reads the lines `first` to `last` of a file of UTF-8, at most `room` bytes. `bytes` begins at the place `start`, and is ended as soon as no
 * more is needed. Counts the bytes as work; when no more may be read, `next` is where the next call goes on. Returns null if what is read is
 * no text: not UTF-8, or with a NUL character.
 */
export async function readText(
  bytes: Readable,
  start: Place,
  range: { first: number; last: number },
  room: number,
  work: Work,
): Promise<FileText | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lines = new Lines(start, range, room);
  try {
    for await (const chunk of bytes) {
      await work.pause();
      const { length } = chunk as Buffer;
      if (length > work.left("bytes")) return lines.result(true);
      work.spend("bytes", length, INSTEAD);
      const piece = decoder.decode(chunk as Buffer, { stream: true });
      if (piece.includes("\0")) return null;
      if (!lines.add(piece)) return lines.result(false);
    }
    lines.add(decoder.decode());
    return lines.result(false);
  } catch (error) {
    if (error instanceof TypeError && "code" in error && error.code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      return null;
    throw error;
  } finally {
    bytes.destroy();
  }
}

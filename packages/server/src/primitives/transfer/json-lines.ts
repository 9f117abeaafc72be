import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { parseJson } from "../../http/body.ts";
import { Refusal, refuse } from "../../http/refusal.ts";

/** The maximum length of a line in bytes: a value and its key with every character escaped. */
const MAX_LINE_BYTES = 6 * (LIMITS.valueBytes.value + LIMITS.kvKeyBytes.value) + 4096;

/** The maximum number of lines in a batch, and the number of bytes after which a batch ends. */
const BATCH_LINES = 50;
const BATCH_BYTES = 256 * 1024;

/** A line of a file. `value` is undefined if the line is not valid JSON. */
export interface JsonLine {
  /** The number of the line, counted from 1. */
  number: number;
  value: Json | undefined;
}

/** Counts the lines of all files of an import. Throws 400 `INVALID_BODY` if there are too many. */
export class LineBudget {
  #left: number;

  constructor(limit: number = LIMITS.importLines.value) {
    this.#left = limit;
  }

  take(): void {
    this.#left -= 1;
    if (this.#left < 0) refuse("INVALID_BODY", { message: "The import has too many lines." });
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let size = 0;
  const add = (piece: Buffer) => {
    begun.push(piece);
    size += piece.length;
    if (size > MAX_LINE_BYTES) refuse("INVALID_BODY", { message: `A line of ${path} is too long.` });
  };
  for await (const given of chunks) {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      add(chunk.subarray(start, end));
      yield Buffer.concat(begun);
      [begun, size, start] = [[], 0, end + 1];
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (size > 0) yield Buffer.concat(begun);
}

function parsed(line: Buffer, path: string): Json | undefined {
  try {
    // The value of a line is nested one level deeper than the body of a request.
    return parseJson(line, `A line of ${path}`, LIMITS.jsonDepth.value + 1);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const isBlank = (line: Buffer) => line.length < 3 && line.toString("latin1").trim() === "";

/**
 * Reads a file of JSON lines in small batches, without the blank lines. Throws 400 `INVALID_BODY` if a line is too long or the import has
 * too many lines.
 */
export async function* jsonLines(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  budget: LineBudget,
): AsyncGenerator<JsonLine[]> {
  let batch: JsonLine[] = [];
  let [number, size] = [0, 0];
  for await (const line of linesOf(chunks, path)) {
    budget.take();
    number += 1;
    if (isBlank(line)) continue;
    batch.push({ number, value: parsed(line, path) });
    size += line.length;
    if (batch.length < BATCH_LINES && size < BATCH_BYTES) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

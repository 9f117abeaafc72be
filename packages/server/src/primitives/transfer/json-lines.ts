import { setImmediate as immediate } from "node:timers/promises";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { parseJson } from "../../http/body.ts";
import { ValueCount } from "../../http/json-size.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import type { ImportBudget } from "./import-budget.ts";

/** The maximum length of a line in bytes: a value and its key with every character escaped. */
const MAX_LINE_BYTES = 6 * (LIMITS.valueBytes.value + LIMITS.kvKeyBytes.value) + 4096;

/** The maximum number of lines in a batch, and the number of bytes after which a batch ends. */
const BATCH_LINES = 50;
const BATCH_BYTES = 256 * 1024;

/** The number of values that fit into a line: half the bytes of a value, and the other fields of the line. */
const MAX_LINE_VALUES = LIMITS.valueBytes.value / 2 + 100;

/** The number of bytes that are read in one turn of the event loop, where each line counts as that many bytes more. */
const TURN_BYTES = 64 * 1024;
const LINE_COST = 256;

/** A line of a file. `value` is undefined if the line is not valid JSON. */
export interface JsonLine {
  /** The number of the line, counted from 1. */
  number: number;
  value: Json | undefined;
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
    new ValueCount(MAX_LINE_VALUES).add(line);
    // The value of a line is nested one level deeper than the body of a request.
    return parseJson(line, `A line of ${path}`, LIMITS.jsonDepth.value + 1);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

const isBlank = (line: Buffer) => line.length < 3 && line.toString("latin1").trim() === "";

/**
 * Reads a file of JSON lines in small batches, without the blank lines. No turn of the event loop takes long, whatever the lines are. Throws 400 `INVALID_BODY` if a line is too long or the import has
 * too many lines.
 */
export async function* jsonLines(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  budget: ImportBudget,
): AsyncGenerator<JsonLine[]> {
  let batch: JsonLine[] = [];
  let [number, size, work] = [0, 0, TURN_BYTES];
  for await (const line of linesOf(chunks, path)) {
    budget.takeLine();
    number += 1;
    if (work >= TURN_BYTES) {
      await immediate();
      work = 0;
    }
    work += line.length + LINE_COST;
    if (isBlank(line)) continue;
    batch.push({ number, value: parsed(line, path) });
    size += line.length;
    if (batch.length < BATCH_LINES && size < BATCH_BYTES) continue;
    yield batch;
    [batch, size, work] = [[], 0, TURN_BYTES];
  }
  if (batch.length > 0) yield batch;
}

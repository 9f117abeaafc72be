import { open } from "node:fs/promises";
import { setImmediate as immediate } from "node:timers/promises";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { readEntry, readZip, type ZipEntry } from "../../canvases/zip/read-zip.ts";
import { ZipSource } from "../../canvases/zip/zip-source.ts";
import { parseJson, ValueCount } from "../../http/body.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import { check } from "../../http/validate.ts";

/**
 * Counts the lines and bytes that an import reads, as it reads them: what the headers of a zip declare is not trusted, and a file can be
 * read several times. Throws 400 `INVALID_BODY` when there are too many.
 */
export class ImportBudget {
  #lines: number;
  #bytes: number;

  constructor(lines: number = LIMITS.importLines.value, bytes: number = LIMITS.importUnpackedBytes.value) {
    this.#lines = lines;
    this.#bytes = bytes;
  }

  /** Counts a line. Throws also if there were too many bytes. */
  takeLine(): void {
    this.#lines -= 1;
    if (this.#lines < 0) refuse("INVALID_BODY", { message: "The import has too many lines." });
    this.takeBytes(0);
  }

  takeBytes(length: number): void {
    this.#bytes -= length;
    if (this.#bytes < 0) refuse("INVALID_BODY", { message: "The import is too large when it is unpacked." });
  }
}

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
interface JsonLine {
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

/** The path of the manifest, which describes an export. */
export const MANIFEST = "manifest.json";
/** The maximum size of the manifest in bytes. */
const MAX_MANIFEST_BYTES = 64 * 1024;

/** The format of an export. A change that older services cannot import needs a new version. */
export const FORMAT = { format: "easel-data", version: 1 } as const;

const Manifest = z.looseObject({ format: z.literal(FORMAT.format), version: z.literal(FORMAT.version) });

const ZIP_LIMITS = { entries: LIMITS.importEntries.value, nameBytes: LIMITS.importNameBytes.value };

const LINES = /^([a-z]+)\/([^/]+)\.jsonl$/;

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

function nameOf(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** The uploaded zip of an import. */
export class ImportArchive {
  readonly #source: ZipSource;
  readonly #entries: Map<string, ZipEntry>;
  readonly #budget = new ImportBudget();
  /** The paths of all files. */
  readonly paths: readonly string[];

  constructor(source: ZipSource, entries: Map<string, ZipEntry>) {
    this.#source = source;
    this.#entries = entries;
    this.paths = [...entries.keys()];
  }

  /** Returns the files of JSON lines in a folder, with the decoded names of the collections. */
  collections(folder: string): { name: string; path: string }[] {
    return this.paths.flatMap((path) => {
      const [, at, encoded] = LINES.exec(path) ?? [];
      const name = at === folder && encoded !== undefined ? nameOf(encoded) : undefined;
      return name === undefined ? [] : { name, path };
    });
  }

  /** Reads the JSON lines of a file in batches. Yields nothing if there is no such file. */
  async *lines(path: string): AsyncGenerator<JsonLine[]> {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    // An import can have very many files without lines.
    await immediate();
    yield* jsonLines(this.#read(entry), path, this.#budget);
  }

  async *#read(entry: ZipEntry): AsyncGenerator<Buffer> {
    for await (const chunk of readEntry(this.#source, entry)) {
      this.#budget.takeBytes(chunk.length);
      yield chunk;
    }
  }

  /** Returns the size of a file in bytes and a function that reads it, or undefined if there is no such file. */
  file(path: string): { size: number; read(): AsyncIterable<Uint8Array> } | undefined {
    const entry = this.#entries.get(path);
    return entry && { size: entry.size, read: () => this.#read(entry) };
  }

  /** Throws 400 `INVALID_BODY` unless the archive has the format of an export. */
  async requireFormat(): Promise<void> {
    const entry = this.#entries.get(MANIFEST) ?? invalid(`The zip is not an export: it has no ${MANIFEST}.`);
    if (entry.size > MAX_MANIFEST_BYTES) invalid(`${MANIFEST} is too large.`);
    const chunks = await Array.fromAsync(readEntry(this.#source, entry));
    const { faults } = check(parseJson(Buffer.concat(chunks), MANIFEST), Manifest, MANIFEST);
    if (faults !== undefined)
      invalid(`${MANIFEST} does not describe an export that this service can import.`);
  }
}

/** Returns the files of a zip by their paths. Throws 400 `INVALID_BODY` for files that no export contains. */
function filesOf(entries: ZipEntry[]): Map<string, ZipEntry> {
  const files = new Map<string, ZipEntry>();
  let lineBytes = 0;
  for (const entry of entries) {
    const { path, isFolder, fault, size } = entry;
    if (isFolder) continue;
    if (fault !== undefined) invalid(`\`${path}\` ${fault}.`);
    if (files.has(path)) invalid(`\`${path}\` is in the zip twice.`);
    if (path.endsWith(".jsonl")) lineBytes += size;
    files.set(path, entry);
  }
  if (lineBytes > LIMITS.importLinesBytes.value) invalid("The import is too large when it is unpacked.");
  return files;
}

/**
 * Opens an uploaded zip and calls `use` with it. Throws 400 `INVALID_BODY` if the zip is damaged or does not have the format of an export.
 */
export async function withArchive<Result>(
  path: string,
  use: (archive: ImportArchive) => Promise<Result>,
): Promise<Result> {
  const file = await open(path);
  try {
    const source = new ZipSource(file, (await file.stat()).size);
    const archive = new ImportArchive(source, filesOf(await readZip(source, ZIP_LIMITS)));
    await archive.requireFormat();
    return await use(archive);
  } finally {
    await file.close();
  }
}

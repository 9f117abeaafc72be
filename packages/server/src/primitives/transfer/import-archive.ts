import { open } from "node:fs/promises";
import { setImmediate as immediate } from "node:timers/promises";
import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { readZip } from "../../canvases/zip/read-zip.ts";
import type { ZipEntry } from "../../canvases/zip/zip-check.ts";
import { readEntry } from "../../canvases/zip/zip-data.ts";
import { ZipSource } from "../../canvases/zip/zip-source.ts";
import { parseJson } from "../../http/body.ts";
import { refuse } from "../../http/refusal.ts";
import { check } from "../../http/validate.ts";
import { ImportBudget } from "./import-budget.ts";
import { type JsonLine, jsonLines } from "./json-lines.ts";

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

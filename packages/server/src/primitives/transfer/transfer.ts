import type { Capability } from "@easel/protocol/capabilities";
import type { DataPart, DataSummary, ImportResult, SkippedData } from "@easel/protocol/management";
import type { Env } from "../../env.ts";
import type { Paged } from "../../http/query.ts";
import type { RuntimeCaller } from "../primitive.ts";
import type { ImportArchive } from "./import-archive.ts";

/** The maximum number of entries in `skipped`. An archive can have many files, so further entries are added up by part. */
const MAX_SKIPPED = 500;

/** Counts the entries that an import writes and leaves out. */
export class ImportReport {
  readonly imported: ImportResult["imported"] = { kv: 0, collections: 0, submissions: 0, files: 0 };
  readonly #skipped = new Map<string, SkippedData>();

  add(part: DataPart): void {
    this.imported[part] += 1;
  }

  /** Records that an entry was left out. `line` is the number of its line, or null if the reason does not concern a line. */
  skip(what: string, reason: string, line: number | null = null): void {
    const isFull = this.#skipped.size >= MAX_SKIPPED && !this.#skipped.has(`${reason} ${what}`);
    const name = isFull ? (what.split("/")[0] ?? "") : what;
    const key = `${reason} ${name}`;
    const found = this.#skipped.get(key);
    if (found === undefined)
      this.#skipped.set(key, { what: name, reason, count: 1, line: isFull ? null : line });
    else {
      found.count += 1;
      // Several lines are written at once, so they are not reported in order.
      if (line !== null && found.line !== null) found.line = Math.min(found.line, line);
    }
  }

  get skipped(): SkippedData[] {
    return [...this.#skipped.values()];
  }
}

/**
 * Checks the access of the person who exports or imports, as for a request to the runtime API, and that the capability is on. Throws a
 * `Refusal` if one of them is missing. Called before each read and write, because a transfer can take minutes.
 */
export type Access = (capability: Capability) => Promise<RuntimeCaller>;

/** A file of JSON lines in an export, in slices. */
export interface ExportedLines {
  path: string;
  slices: AsyncIterable<string[]>;
}

/** The content of an uploaded file in an export. `size` is in bytes. */
export interface ExportedBlob {
  path: string;
  blob: { key: string; size: number };
}

/** The input of the export of a part. */
export interface Export {
  access: Access;
  env: Env;
  /** Records data that the caller may not read, such as `collections/votes`, and the error code. */
  leaveOut(what: string, reason: string): void;
}

/** The input of the import of a part. */
export interface Import {
  access: Access;
  env: Env;
  archive: ImportArchive;
  report: ImportReport;
  /** What to do with entries that exist already. */
  existing: "keep" | "replace";
  /**
   * The ids of the records that have attachments in the archive, each with the id of the imported record. The import of collections sets
   * the latter.
   */
  attached: Map<string, string>;
}

/** Exports and imports one part of a canvas's data, with the rights that the routes of the runtime API check. */
export interface Transfer {
  part: DataPart;
  capability: Capability;
  /** Matches the paths of the part's files in the zip. */
  paths: RegExp;
  /** Yields the files that contain what the caller may read. */
  export(from: Export): AsyncGenerator<ExportedLines | ExportedBlob>;
  /** Imports the data of the part from the archive, and reports what it leaves out. */
  import(to: Import): Promise<void>;
  /** Counts the stored data of the part, of all people. */
  summary(
    canvas: Pick<RuntimeCaller["canvas"], "id" | "policyRevision" | "phases">,
    env: Env,
  ): Promise<Partial<DataSummary>>;
}

/** Yields a list in slices of JSON lines. Checks access before each slice. */
export async function* slicesOf<Entry>(
  access: () => Promise<RuntimeCaller>,
  read: (caller: RuntimeCaller, cursor: string | null) => Promise<Paged<Entry>>,
  textOf: (entry: Entry) => string,
): AsyncGenerator<string[]> {
  let cursor: string | null = null;
  do {
    const { entries, nextCursor }: Paged<Entry> = await read(await access(), cursor);
    yield entries.map(textOf);
    cursor = nextCursor;
  } while (cursor !== null);
}

/** Returns the path of the file with the JSON lines of a collection. The name is encoded, because it can contain a colon. */
export const linesPath = (folder: string, name: string): string =>
  `${folder}/${encodeURIComponent(name)}.jsonl`;

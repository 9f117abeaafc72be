import type { DataPart, ImportResult, SkippedData } from "@easel/protocol/management";

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

import type { DataPart, ImportResult, SkippedData } from "@easel/protocol/management";

/** The maximum number of different entries in `skipped`. Further ones are summed up by part, because an archive can have many files. */
const MAX_SKIPPED = 500;

/** Counts what an import writes, and what it leaves out. */
export class ImportReport {
  readonly imported: ImportResult["imported"] = { kv: 0, collections: 0, submissions: 0, files: 0 };
  readonly #skipped = new Map<string, SkippedData>();

  add(part: DataPart): void {
    this.imported[part] += 1;
  }

  /** Records that an entry was left out. `line` is its number in the file; null if the reason is not about lines. */
  skip(what: string, reason: string, line: number | null = null): void {
    const isFull = this.#skipped.size >= MAX_SKIPPED && !this.#skipped.has(`${reason} ${what}`);
    const name = isFull ? (what.split("/")[0] ?? "") : what;
    const key = `${reason} ${name}`;
    const found = this.#skipped.get(key);
    if (found === undefined)
      this.#skipped.set(key, { what: name, reason, count: 1, line: isFull ? null : line });
    else {
      found.count += 1;
      // Lines are written several at a time, and so not reported in their order.
      if (line !== null && found.line !== null) found.line = Math.min(found.line, line);
    }
  }

  get skipped(): SkippedData[] {
    return [...this.#skipped.values()];
  }
}

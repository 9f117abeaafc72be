import { LIMITS } from "@easel/protocol/limits";
import { refuse } from "../../http/refusal.ts";

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

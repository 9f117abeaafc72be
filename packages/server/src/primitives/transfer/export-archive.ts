import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { DataPart } from "@easel/protocol/management";
import { STORED } from "../../canvases/zip/directory.ts";
import { type ArchivedFile, writeZip } from "../../canvases/zip/zip-writer.ts";
import type { Env } from "../../env.ts";
import { FORMAT, MANIFEST } from "./import-archive.ts";
import { codeOf } from "./import-lines.ts";
import type { Access, Export, ExportedBlob, ExportedLines, Transfer } from "./transfer.ts";
import { TRANSFERS } from "./transfers.ts";

/** Data that an export has left out, such as a part whose capability is off, and the error code. */
interface LeftOut {
  what: string;
  reason: string;
}

/** The canvas that the manifest of an export names. */
interface Origin {
  id: string;
  slug: string;
}

const textFile = (path: string, chunks: () => AsyncIterable<Uint8Array>): ArchivedFile => ({
  path,
  size: null,
  open: async () => chunks(),
  packed: null,
});

/** Builds the zip of an export while it is read. */
class ExportArchive {
  readonly #access: Access;
  readonly #env: Env;
  readonly #counts: Record<string, number> = {};
  readonly #leftOut: LeftOut[] = [];

  constructor(access: Access, env: Env) {
    this.#access = access;
    this.#env = env;
  }

  async *files(parts: readonly DataPart[], origin: Origin): AsyncGenerator<ArchivedFile> {
    for (const transfer of TRANSFERS) if (parts.includes(transfer.part)) yield* this.#part(transfer);
    const { slug, id } = origin;
    const manifest = {
      ...FORMAT,
      exportedAt: this.#env.clock(),
      canvas: { id, slug },
      counts: this.#counts,
      leftOut: this.#leftOut,
    };
    yield textFile(MANIFEST, async function* () {
      yield Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
    });
  }

  async *#part({ part, capability, ...transfer }: Transfer): AsyncGenerator<ArchivedFile> {
    const leaveOut: Export["leaveOut"] = (what, reason) => void this.#leftOut.push({ what, reason });
    const access: Access = this.#access;
    // If the capability is off, the part is left out. If the caller has lost access, reading the next file aborts the export.
    const refused = await access(capability).then(() => null, codeOf);
    if (refused === "CAPABILITY_DISABLED") return leaveOut(part, refused);
    this.#counts[part] = 0;
    for await (const file of transfer.export({ access, env: this.#env, leaveOut })) {
      const archived = "slices" in file ? this.#lines(part, file) : await this.#blob(file);
      if (archived !== null) yield archived;
    }
  }

  #lines(part: DataPart, { path, slices }: ExportedLines): ArchivedFile {
    const counts = this.#counts;
    return textFile(path, async function* () {
      for await (const lines of slices) {
        counts[part] = (counts[part] ?? 0) + lines.length;
        if (lines.length > 0) yield Buffer.from(`${lines.join("\n")}\n`);
      }
    });
  }

  /**
   * Returns the content of an uploaded file, or null if the file was removed after the list was read. Reads the content twice, because in a
   * zip the checksum precedes it.
   */
  async #blob({ path, blob: { key, size } }: ExportedBlob): Promise<ArchivedFile | null> {
    const { blobs } = this.#env;
    const content = await blobs.get(key);
    if (content === null) return null;
    let crc = 0;
    for await (const chunk of content) crc = crc32(chunk, crc);
    async function* chunks() {
      yield* (await blobs.get(key)) ?? missing(path);
    }
    const open = async () => ({ crc, chunks: chunks() });
    return { path, size, open: async () => chunks(), packed: { method: STORED, size, open } };
  }
}

function missing(path: string): never {
  throw new Error(`The content of ${path} was removed during the export`);
}

/** Returns the data of a canvas that the caller may read, as the stream of a zip. Reads the data only as fast as the stream is read. */
export function exportArchive(
  parts: readonly DataPart[],
  origin: Origin,
  access: Access,
  env: Env,
): Readable {
  const files = new ExportArchive(access, env).files(parts, origin);
  // The stream buffers only one chunk, so that a slow client costs little memory.
  return Readable.from(writeZip(files), { objectMode: false, highWaterMark: 1 });
}

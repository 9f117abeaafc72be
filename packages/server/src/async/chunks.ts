/** The number of chunks after which they are joined. */
const JOINED_AT = 1024;

/**
 * Collects the chunks of a stream. Joins them as they come, because millions of chunks of one byte would take a hundred times the memory of
 * their bytes.
 */
export class Chunks {
  readonly #joined: Buffer[] = [];
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** The number of bytes. */
  get size(): number {
    return this.#size;
  }

  add(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#chunks.push(chunk) < JOINED_AT) return;
    this.#joined.push(Buffer.concat(this.#chunks));
    this.#chunks = [];
  }

  /** Returns all bytes. */
  bytes(): Buffer {
    const all = [...this.#joined, ...this.#chunks];
    const [only] = all;
    return all.length === 1 && Buffer.isBuffer(only) ? only : Buffer.concat(all);
  }
}

/** Reads a stream into memory. Rejects with what `tooLarge` throws as soon as there are more than `limit` bytes. */
export async function readAll(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  tooLarge: () => never,
): Promise<Buffer> {
  const chunks = new Chunks();
  for await (const chunk of source) {
    if (chunks.size + chunk.length > limit) tooLarge();
    chunks.add(chunk);
  }
  return chunks.bytes();
}

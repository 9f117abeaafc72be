const CR = 0x0d;

/**
 * Reads a stream of bytes up to a delimiter, such as a multipart boundary, and returns the bytes in pieces. The delimiter must begin with
 * CR. Does not buffer more than one chunk of the stream and the beginning of a delimiter.
 */
export class Delimited {
  readonly #source: AsyncGenerator<Buffer>;
  readonly #endedEarly: () => Error;
  #rest: Buffer;

  /** Reads the bytes in `first` before those of `source`. `endedEarly` creates the error to throw if `source` ends before a delimiter. */
  constructor(source: AsyncGenerator<Buffer>, first: Buffer, endedEarly: () => Error) {
    this.#source = source;
    this.#rest = first;
    this.#endedEarly = endedEarly;
  }

  /** Returns some of the bytes before the delimiter, at least one. If the delimiter comes next, skips it and returns null. */
  async before(delimiter: Buffer): Promise<Buffer | null> {
    for (;;) {
      const at = this.#rest.indexOf(delimiter);
      if (at === 0) {
        this.#take(delimiter.length);
        return null;
      }
      const end = at === -1 ? this.#endWithout(delimiter) : at;
      if (end > 0) return this.#take(end);
      await this.#fetch();
    }
  }

  /** Returns all bytes before the delimiter, and skips the delimiter. Returns null if there are more than `limit` bytes. */
  async upTo(delimiter: Buffer, limit: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    let size = 0;
    for (let piece = await this.before(delimiter); piece !== null; piece = await this.before(delimiter)) {
      size += piece.length;
      if (size > limit) return null;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /** Skips the next bytes if they equal `bytes`. Returns whether they do. */
  async skip(bytes: Buffer): Promise<boolean> {
    while (this.#rest.length < bytes.length) await this.#fetch();
    const found = this.#rest.subarray(0, bytes.length).equals(bytes);
    if (found) this.#take(bytes.length);
    return found;
  }

  /** Skips the rest of the stream and returns true. Returns false as soon as the rest turns out to be longer than `limit` bytes. */
  async skipRest(limit: number): Promise<boolean> {
    let size = this.#rest.length;
    for await (const { length } of this.#source) {
      size += length;
      if (size > limit) return false;
    }
    return size <= limit;
  }

  async #fetch(): Promise<void> {
    const { done, value } = await this.#source.next();
    if (done) throw this.#endedEarly();
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** Returns how many bytes at the start of the buffer cannot be part of a delimiter. The buffer must not contain a whole delimiter. */
  #endWithout(delimiter: Buffer): number {
    const start = this.#rest.indexOf(CR, Math.max(0, this.#rest.length - delimiter.length + 1));
    return start === -1 ? this.#rest.length : start;
  }
}

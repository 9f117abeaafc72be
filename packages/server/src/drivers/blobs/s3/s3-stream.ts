import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { Unavailable } from "../../db/db.ts";
import type { ByteRange } from "./s3-objects.ts";
import type { Receiver } from "./s3-requests.ts";

/** How often a body that breaks off is resumed. */
const MOST_RESUMES = 2;

/** Asks for the bytes of a range, if the object still has the entity tag. `receiver` gets them. */
type Reopen = (range: ByteRange, etag: string, receiver: Receiver) => Promise<unknown>;

/** The bytes of an object, as fast as they are read. If the body breaks off, the rest is asked for. */
export class ObjectStream extends Readable implements Receiver {
  readonly #reopen: Reopen;
  #controller: Dispatcher.DispatchController | null = null;
  #etag = "";
  /** The offset of the next byte, and that of the last one. */
  #next = 0;
  #end = -1;
  #resumes = 0;

  constructor(reopen: Reopen) {
    super({ highWaterMark: 256 * 1024 });
    this.#reopen = reopen;
  }

  start(
    status: number,
    headers: Record<string, string | undefined>,
    controller: Dispatcher.DispatchController,
  ): void {
    this.#controller = controller;
    if (this.destroyed) return void controller.abort(new Error("the reader has gone"));
    const [, start, end] = /^bytes (\d+)-(\d+)/.exec(headers["content-range"] ?? "") ?? [];
    const isResumed = this.#resumes > 0;
    if (isResumed && Number(start) !== this.#next)
      return void this.#giveUp(new Error("S3 sends another part"));
    if (status === 206) [this.#next, this.#end] = [Number(start), Number(end)];
    else this.#end = Number(headers["content-length"]) - 1;
    if (Number.isNaN(this.#end)) return void this.#giveUp(new Error("S3 sends no length"));
    this.#etag = headers.etag ?? "";
  }

  data(chunk: Buffer): void {
    this.#next += chunk.length;
    if (!this.push(chunk)) this.#controller?.pause();
  }

  end(): void {
    if (this.#next > this.#end) this.push(null);
    else this.fail(new Error("the body is too short"));
  }

  fail(error: Error): void {
    this.#controller = null;
    if (this.destroyed) return;
    if (this.#next > this.#end) return void this.push(null);
    if (this.#resumes === MOST_RESUMES) return void this.#giveUp(error);
    this.#resumes++;
    this.#reopen({ start: this.#next, end: this.#end }, this.#etag, this).catch((cause) =>
      this.#giveUp(cause),
    );
  }

  #giveUp(cause: unknown): void {
    this.destroy(cause instanceof Unavailable ? cause : new Unavailable("a blob breaks off", { cause }));
  }

  override _read(): void {
    this.#controller?.resume();
  }

  /** Closes the connection of a reader that has gone before the last byte. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#next <= this.#end) this.#controller?.abort(error ?? new Error("the reader has gone"));
    done(error);
  }
}

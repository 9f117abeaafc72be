import { Readable } from "node:stream";

/** If no event has been sent for this time, the stream sends a comment, so that proxies do not close the connection as idle. */
const KEEP_ALIVE_MS = 15_000;

const KEEP_ALIVE = ": keep-alive\n\n";

/** When this number of bytes is waiting for a slow client, the stream takes no further events. */
const HIGH_WATER_MARK = 16 * 1024;

/**
 * The text of a server-sent event stream. Takes events as fast as the client reads them. `onClose` is called once, when the stream has
 * ended or the client has gone.
 */
export class EventStream extends Readable {
  readonly #events: AsyncIterator<object>;
  readonly #onClose: () => Promise<void>;
  readonly #keepAlive: NodeJS.Timeout;
  #reading = false;

  constructor(events: AsyncIterator<object>, onClose: () => Promise<void>, keepAliveMs = KEEP_ALIVE_MS) {
    super({ highWaterMark: HIGH_WATER_MARK });
    this.#events = events;
    this.#onClose = onClose;
    this.#keepAlive = setTimeout(() => this.#beat(), keepAliveMs);
  }

  override _read(): void {
    if (this.#reading) return;
    this.#reading = true;
    this.#take().catch((error) => this.destroy(error));
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#keepAlive);
    this.#onClose().then(
      () => callback(error),
      (failure) => callback(error ?? failure),
    );
    // Events that wait for a client that has gone would keep their timers.
    this.#events.return?.().catch(() => {});
  }

  /** Takes events and buffers their text until the buffer is full or the last event has been taken. */
  async #take(): Promise<void> {
    for (let more = true; more; ) {
      const { done, value } = await this.#events.next();
      if (this.destroyed) return;
      // After the end a comment would be an error, also for a client that has not read the last event.
      if (done) clearTimeout(this.#keepAlive);
      else this.#keepAlive.refresh();
      more = !done && this.push(`data: ${JSON.stringify(value)}\n\n`);
      if (done) this.push(null);
    }
    this.#reading = false;
  }

  /** Sends a comment that keeps the connection open. Sends none while earlier data still waits for a slow client. */
  #beat(): void {
    if (this.readableLength === 0) this.push(KEEP_ALIVE);
    this.#keepAlive.refresh();
  }
}

import type { Duplex } from "node:stream";

/** The maximum number of bytes that are buffered for a client that reads slowly. Above it, the connection is dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

const TEXT = 0x81;

/** Encodes a text as an unmasked WebSocket frame (RFC 6455, section 5.2). */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 0x10000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = TEXT;
  frame[1] = head === 2 ? length : head === 4 ? 126 : 127;
  if (head === 4) frame.writeUInt16BE(length, 2);
  if (head === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.write(text, head);
  return frame;
}

/** Collects the outboxes with unsent frames, and flushes all of them at the end of the current turn of the event loop (decision 014). */
export class FlushQueue {
  #outboxes: Outbox[] = [];
  #lastJoined: { frames: Buffer[]; bytes: Buffer } | null = null;

  add(outbox: Outbox): void {
    if (this.#outboxes.push(outbox) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const outboxes = this.#outboxes;
    this.#outboxes = [];
    for (const outbox of outboxes) outbox.flush();
    this.#lastJoined = null;
  }

  /**
   * Concatenates frames. Keeps the last result and returns it again for the same frames, because subscribers of one channel usually get the
   * same frames.
   */
  join(frames: Buffer[]): Buffer {
    const [first, ...others] = frames;
    if (first !== undefined && others.length === 0) return first;
    const last = this.#lastJoined;
    if (last?.frames.length === frames.length && frames.every((frame, index) => frame === last.frames[index]))
      return last.bytes;
    const bytes = Buffer.concat(frames);
    this.#lastJoined = { frames, bytes };
    return bytes;
  }
}

/** The unsent frames of one client. */
export class Outbox {
  readonly #socket: Duplex;
  readonly #flushes: FlushQueue;
  readonly #isOpen: () => boolean;
  #frames: Buffer[] = [];

  /** `isOpen` returns false once the close frame has been sent. After that, nothing is written. */
  constructor(socket: Duplex, flushes: FlushQueue, isOpen: () => boolean) {
    this.#socket = socket;
    this.#flushes = flushes;
    this.#isOpen = isOpen;
  }

  push(frame: Buffer): void {
    if (this.#frames.push(frame) === 1) this.#flushes.add(this);
  }

  /** Writes the unsent frames to the socket. Destroys the socket if the client reads too slowly. */
  flush(): void {
    const frames = this.#frames;
    if (frames.length === 0) return;
    this.#frames = [];
    if (!this.#socket.writable || !this.#isOpen()) return;
    this.#socket.write(this.#flushes.join(frames));
    if (this.#socket.writableLength > MAX_BUFFERED_BYTES) this.#socket.destroy();
  }
}

interface PendingFrame {
  frame: Buffer;
  isAllowed: () => boolean;
}

/** The maximum number of frames that a connection buffers while the user's access is rechecked. */
const MAX_PENDING = 4_096;

/** Buffers outgoing frames of a connection while the user's access is rechecked. */
export class PendingFrames {
  #pendingChecks = 0;
  #frames: PendingFrame[] = [];

  get isPaused(): boolean {
    return this.#pendingChecks > 0;
  }

  /** Starts to buffer frames, because a check of access begins. Each call must be followed by one call of `resume`. */
  pause(): void {
    this.#pendingChecks++;
  }

  /** Called when a check of access ends. Returns the buffered frames that are still allowed, or none while another check is pending. */
  resume(): Buffer[] {
    if (--this.#pendingChecks > 0) return [];
    const frames = this.#frames;
    this.#frames = [];
    return frames.filter(({ isAllowed }) => isAllowed()).map(({ frame }) => frame);
  }

  /**
   * Returns `pass` if no check of access is pending: the caller may then send the frame. Otherwise buffers the frame and returns `pending`,
   * or `full` if too many frames are buffered. `resume` returns a buffered frame only if `isAllowed` returns true by then.
   */
  add(frame: Buffer, isAllowed: () => boolean): "pass" | "pending" | "full" {
    if (this.#pendingChecks === 0) return "pass";
    return this.#frames.push({ frame, isAllowed }) > MAX_PENDING ? "full" : "pending";
  }
}

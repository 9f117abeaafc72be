import type { Duplex } from "node:stream";

/** The most that waits for a slow reader, in bytes; past it the connection is dropped. */
const MOST_WAITING = 1024 * 1024;

const TEXT = 0x81;

/** A text as a WebSocket frame (RFC 6455, section 5.2), not masked. */
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

/** The outboxes that hold something: each is written out at the end of the turn of the event loop, in one piece. */
export class Turn {
  #waiting: Outbox[] = [];
  #last: { frames: Buffer[]; bytes: Buffer } | null = null;

  add(outbox: Outbox): void {
    if (this.#waiting.push(outbox) === 1) setImmediate(() => this.#end());
  }

  #end(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const outbox of waiting) outbox.flush();
    this.#last = null;
  }

  /** Frames in one piece. Those on one channel get the same ones: it is made once for all of them. */
  join(frames: Buffer[]): Buffer {
    const [first, ...others] = frames;
    if (first !== undefined && others.length === 0) return first;
    const last = this.#last;
    if (last?.frames.length === frames.length && frames.every((frame, index) => frame === last.frames[index]))
      return last.bytes;
    const bytes = Buffer.concat(frames);
    this.#last = { frames, bytes };
    return bytes;
  }
}

/** What is on its way to one client. */
export class Outbox {
  readonly #socket: Duplex;
  readonly #turn: Turn;
  readonly #isOpen: () => boolean;
  #frames: Buffer[] = [];

  /** `isOpen` is false once a goodbye has been said: nothing may follow it. */
  constructor(socket: Duplex, turn: Turn, isOpen: () => boolean) {
    this.#socket = socket;
    this.#turn = turn;
    this.#isOpen = isOpen;
  }

  push(frame: Buffer): void {
    if (this.#frames.push(frame) === 1) this.#turn.add(this);
  }

  /** Writes what has gathered. Whoever does not read it is dropped: it would be kept for them in memory. */
  flush(): void {
    const frames = this.#frames;
    if (frames.length === 0) return;
    this.#frames = [];
    if (!this.#socket.writable || !this.#isOpen()) return;
    this.#socket.write(this.#turn.join(frames));
    if (this.#socket.writableLength > MOST_WAITING) this.#socket.destroy();
  }
}

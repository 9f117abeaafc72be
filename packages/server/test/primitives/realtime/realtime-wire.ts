import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import net from "node:net";
import type { Header } from "@easel/conformance/http";
import { PATIENCE_MS } from "@easel/conformance/patience";

/** The opcodes of frames (RFC 6455, section 5.2). */
export const OPCODE = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Options of a frame that is not a complete text message. */
interface Form {
  opcode?: number;
  fin?: boolean;
}

/** Encodes a frame as a client sends it. Its mask is zero, so that the payload is readable in the bytes. */
export function clientFrame(
  payload: string | Buffer | object,
  { opcode = OPCODE.text, fin = true }: Form = {},
): Buffer {
  const plain = typeof payload === "string" || Buffer.isBuffer(payload);
  const bytes = Buffer.from(plain ? (payload as Buffer) : JSON.stringify(payload));
  const { length } = bytes;
  const head = Buffer.alloc(length < 126 ? 6 : length < 0x10000 ? 8 : 14);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 0x10000 ? 126 : 127);
  if (head.length === 8) head.writeUInt16BE(length, 2);
  if (head.length === 14) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, bytes]);
}

/** A close frame as a client sends it, with code 1000. */
export const CLOSE_FRAME: Buffer = clientFrame(Buffer.from([0x03, 0xe8]), { opcode: OPCODE.close });

/** A received frame. */
export interface ServerFrame {
  opcode: number;
  text: string;
  /** The close code; null for frames other than close frames, and for one without a code. */
  code: number | null;
}

/** Parses the first frame in these bytes. Returns the frame and its size; null when the frame is incomplete. */
function frameIn(bytes: Buffer): { frame: ServerFrame; size: number } | null {
  const short = bytes.length < 2 ? 0 : bytes.readUInt8(1);
  assert.ok(short < 128, "the service masks nothing");
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < head) return null;
  const length = head === 2 ? short : head === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < head + length) return null;
  const opcode = bytes.readUInt8(0) & 15;
  const payload = bytes.subarray(head, head + length);
  const isClose = opcode === OPCODE.close;
  const code = isClose && length >= 2 ? payload.readUInt16BE(0) : null;
  return { frame: { opcode, text: payload.subarray(isClose ? 2 : 0).toString(), code }, size: head + length };
}

/** Returns the text of a WebSocket handshake. */
export const handshake = (base: string, path: string, headers: Header[] = [], upgrade = UPGRADE): string =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: ${new URL(base).host}`,
    ...[...upgrade(), ...headers].map(([name, value]) => `${name}: ${value}`),
    "\r\n",
  ].join("\r\n");

/** Returns the headers that make a request a WebSocket handshake. */
export const UPGRADE = (): Header[] => [
  ["Connection", "Upgrade"],
  ["Upgrade", "websocket"],
  ["Sec-WebSocket-Version", "13"],
  ["Sec-WebSocket-Key", randomBytes(16).toString("base64")],
];

/** Returns the status in the head of a response. */
export const statusIn = (head: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);

/** Returns the value of a header in the head of a response. */
export const valueIn = (head: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim();

/**
 * A TCP connection to a service that speaks WebSocket without a library. It answers neither pings nor close frames by itself, and stays
 * half open when the service ends its half.
 */
export class Wire {
  readonly socket: net.Socket;
  readonly #news = new EventEmitter();
  #bytes = Buffer.alloc(0);

  constructor(base: string) {
    this.socket = net.connect({
      port: Number(new URL(base).port),
      host: "127.0.0.1",
      allowHalfOpen: true,
      noDelay: true,
    });
    this.socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#news.emit("news");
    });
    for (const event of ["end", "close"]) this.socket.on(event, () => this.#news.emit("news"));
    this.socket.on("error", () => {});
  }

  write(...parts: (string | Buffer)[]): void {
    this.socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as Buffer))));
  }

  send(...frames: (string | object)[]): void {
    this.write(...frames.map((frame) => clientFrame(frame)));
  }

  /** Reads the head of an HTTP response, and leaves the bytes after it unread. */
  async head(): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end >= 0) return this.#take(end + 4).toString("latin1");
      await this.#wait("head of a response");
    }
  }

  /** Reads the next `size` bytes. */
  async bytes(size: number): Promise<string> {
    while (this.#bytes.length < size) await this.#wait("bytes");
    return this.#take(size).toString("latin1");
  }

  /** Reads until the service ends the connection. Returns the bytes as text. */
  async rest(): Promise<string> {
    while (!this.socket.readableEnded && !this.socket.destroyed) await this.#wait("end");
    return this.#take(this.#bytes.length).toString("latin1");
  }

  /** Reads the next frame of any kind. Null when the service has ended the connection. */
  async frame(): Promise<ServerFrame | null> {
    for (;;) {
      const found = frameIn(this.#bytes);
      if (found !== null) {
        this.#take(found.size);
        return found.frame;
      }
      if (this.socket.readableEnded || this.socket.destroyed) return null;
      await this.#wait("frame");
    }
  }

  /** Reads the next text frame and parses its JSON. Fails if the connection ends first. */
  async next(): Promise<Record<string, unknown>> {
    for (;;) {
      const frame = await this.frame();
      assert.ok(frame !== null && frame.code === null, `ended with ${frame?.code} where a frame was due`);
      if (frame.opcode === OPCODE.text) return JSON.parse(frame.text);
    }
  }

  /** Sends a frame, and reads the next one. */
  ask(frame: object): Promise<Record<string, unknown>> {
    this.send(frame);
    return this.next();
  }

  /** Reads up to the close frame. Returns its code (null: there was no close frame, or it had no code) and the texts before it. */
  async closing(): Promise<{ code: number | null; texts: string[] }> {
    const texts: string[] = [];
    for (let frame = await this.frame(); frame !== null; frame = await this.frame()) {
      if (frame.opcode === OPCODE.close) return { code: frame.code, texts };
      if (frame.opcode === OPCODE.text) texts.push(frame.text);
    }
    return { code: null, texts };
  }

  /**
   * Waits until the service has closed the connection completely. A half-closed connection looks the same until something is written to it,
   * so this keeps writing.
   */
  async gone(): Promise<void> {
    const patience = setTimeout(() => this.socket.destroy(new Error("too late")), PATIENCE_MS);
    const prodding = setInterval(() => this.socket.writable && this.socket.write("\0"), 20);
    if (!this.socket.closed) await once(this.socket, "close").catch(() => {});
    clearTimeout(patience);
    clearInterval(prodding);
    assert.notEqual(this.socket.errored?.message, "too late", "the service keeps the connection");
  }

  /** Destroys the socket. */
  drop(): void {
    this.socket.destroy();
  }

  #take(size: number): Buffer {
    const taken = this.#bytes.subarray(0, size);
    this.#bytes = this.#bytes.subarray(size);
    return taken;
  }

  async #wait(what: string): Promise<void> {
    try {
      await once(this.#news, "news", { signal: AbortSignal.timeout(PATIENCE_MS) });
    } catch {
      assert.fail(`no ${what} within ${PATIENCE_MS} ms`);
    }
  }
}

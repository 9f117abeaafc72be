import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import net from "node:net";
import type { Header } from "@easel/conformance/http";
import { PATIENCE_MS } from "@easel/conformance/patience";

/** What a frame is (RFC 6455, section 5.2). */
export const OPCODE = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** How a frame goes out when it is not a whole text. */
interface Form {
  opcode?: number;
  fin?: boolean;
}

/** A frame of a client. Its mask is of zeros, so that its bytes can be read. */
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

/** The goodbye of a client that has no more to say. */
export const GOODBYE: Buffer = clientFrame(Buffer.from([0x03, 0xe8]), { opcode: OPCODE.close });

/** A frame as it has come in. */
export interface ServerFrame {
  opcode: number;
  text: string;
  /** The code of a close frame. */
  code: number | null;
}

/** The first whole frame of these bytes and its length on the wire; null while there is none. */
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

/** The lines of a handshake, as a program sends it. */
export const handshake = (base: string, path: string, headers: Header[] = [], upgrade = UPGRADE): string =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: ${new URL(base).host}`,
    ...[...upgrade(), ...headers].map(([name, value]) => `${name}: ${value}`),
    "\r\n",
  ].join("\r\n");

/** What makes a request a handshake. */
export const UPGRADE = (): Header[] => [
  ["Connection", "Upgrade"],
  ["Upgrade", "websocket"],
  ["Sec-WebSocket-Version", "13"],
  ["Sec-WebSocket-Key", randomBytes(16).toString("base64")],
];

/** The status of an answer. */
export const statusIn = (head: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);

/** A header of an answer. */
export const valueIn = (head: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim();

/**
 * A connection to a service, byte by byte. It answers nothing by itself, neither a ping nor a goodbye, and stays half open where
 * the service alone ends it.
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

  /** The head of the answer; what comes behind it stays to be read. */
  async head(): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end >= 0) return this.#take(end + 4).toString("latin1");
      await this.#wait("head of an answer");
    }
  }

  /** So many bytes. */
  async bytes(size: number): Promise<string> {
    while (this.#bytes.length < size) await this.#wait("bytes");
    return this.#take(size).toString("latin1");
  }

  /** Everything that comes until the service ends the connection. */
  async rest(): Promise<string> {
    while (!this.socket.readableEnded && !this.socket.destroyed) await this.#wait("end");
    return this.#take(this.#bytes.length).toString("latin1");
  }

  /** The next frame, whatever it is; null when the service has ended the connection. */
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

  /** The next text frame, as the object that it is. */
  async next(): Promise<Record<string, unknown>> {
    for (;;) {
      const frame = await this.frame();
      assert.ok(frame !== null && frame.code === null, `ended with ${frame?.code} where a frame was due`);
      if (frame.opcode === OPCODE.text) return JSON.parse(frame.text);
    }
  }

  /** Sends a frame; what comes next answers it. */
  ask(frame: object): Promise<Record<string, unknown>> {
    this.send(frame);
    return this.next();
  }

  /** The code of the goodbye, and the texts before it; null where the service went without one. */
  async goodbye(): Promise<{ code: number | null; texts: string[] }> {
    const texts: string[] = [];
    for (let frame = await this.frame(); frame !== null; frame = await this.frame()) {
      if (frame.opcode === OPCODE.close) return { code: frame.code, texts };
      if (frame.opcode === OPCODE.text) texts.push(frame.text);
    }
    return { code: null, texts };
  }

  /**
   * Waits until the service has let go of the connection for good. It may have ended its own half only, which looks the same
   * from here until something is said to it.
   */
  async gone(): Promise<void> {
    const patience = setTimeout(() => this.socket.destroy(new Error("too late")), PATIENCE_MS);
    const prodding = setInterval(() => this.socket.writable && this.socket.write("\0"), 20);
    if (!this.socket.closed) await once(this.socket, "close").catch(() => {});
    clearTimeout(patience);
    clearInterval(prodding);
    assert.notEqual(this.socket.errored?.message, "too late", "the service keeps the connection");
  }

  /** Ends it without a word. */
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

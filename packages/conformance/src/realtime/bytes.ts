import assert from "node:assert/strict";
import { addAbortSignal, type Duplex } from "node:stream";
import { PATIENCE_MS } from "../patience.ts";

/** The opcodes of WebSocket frames. */
export const OPCODES = { text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;
/** The FIN bit in the first byte of a WebSocket frame. */
export const FIN = 0x80;
/** The MASK bit in the second byte of a WebSocket frame. */
export const MASKED = 0x80;

/**
 * Builds a WebSocket frame whose first byte is `first`, with a payload of fewer than 126 bytes. If it is masked, the masking key is all
 * zeros.
 */
export function framed(first: number, payload: Buffer | string, mask = MASKED): Buffer {
  const body = Buffer.from(payload);
  assert.ok(body.length < 126);
  return Buffer.concat([Buffer.from([first, mask | body.length]), Buffer.alloc(mask ? 4 : 0), body]);
}

/** A WebSocket connection after its handshake, on which tests read and write single frames as bytes. */
export class Wire {
  readonly #duplex: Duplex;
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer;

  constructor(duplex: Duplex, head: Buffer) {
    this.#duplex = addAbortSignal(AbortSignal.timeout(PATIENCE_MS), duplex);
    this.#chunks = duplex[Symbol.asyncIterator]();
    this.#bytes = head;
  }

  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => this.#duplex.write(bytes, () => resolve()));
  }

  /** Resolves with the next frame that the service sends. */
  async next(): Promise<{ opcode: number; payload: Buffer }> {
    const [first = 0, second = 0] = await this.#read(2);
    assert.equal(first & FIN, FIN, "the service sends whole messages");
    assert.equal(second & MASKED, 0, "the service masks nothing");
    const length = second === 126 ? (await this.#read(2)).readUInt16BE() : second;
    return { opcode: first & 0x0f, payload: await this.#read(length) };
  }

  /** Asserts that the next frame is a close frame, and resolves with its code. */
  async closed(): Promise<number> {
    const { opcode, payload } = await this.next();
    assert.equal(opcode, OPCODES.close, payload.toString());
    return payload.readUInt16BE();
  }

  end(): void {
    this.#duplex.destroy();
  }

  async #read(size: number): Promise<Buffer> {
    while (this.#bytes.length < size) {
      const { value, done } = await this.#chunks.next();
      assert.ok(!done, "the connection ends where a frame was due");
      this.#bytes = Buffer.concat([this.#bytes, value]);
    }
    const read = this.#bytes.subarray(0, size);
    this.#bytes = this.#bytes.subarray(size);
    return read;
  }
}

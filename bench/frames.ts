import { randomBytes } from "node:crypto";

/** The first byte of an unfragmented WebSocket text frame: the FIN bit and the opcode. */
export const TEXT = 0x81;
/** The first byte of a close frame. */
export const CLOSE = 0x88;
/** The first byte of a ping frame. */
export const PING = 0x89;
/** The first byte of a pong frame. */
export const PONG = 0x8a;

const MASKED = 0x80;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** Encodes a masked client frame of at most 65,535 bytes. */
export function maskedFrame(kind: number, payload: Buffer): Buffer {
  const short = payload.length < TWO_BYTES;
  const mask = randomBytes(4);
  const head = Buffer.alloc(short ? 2 : 4);
  head[0] = kind;
  head[1] = MASKED | (short ? payload.length : TWO_BYTES);
  if (!short) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

/** Encodes a masked text frame. */
export const textFrame = (text: string): Buffer => maskedFrame(TEXT, Buffer.from(text));

/**
 * Called for each frame. `kind` is the first byte of the frame, such as `TEXT`. The payload is the part of `bytes` from `start` to `end`.
 */
export type OnFrame = (bytes: Buffer, kind: number, start: number, end: number) => void;

/**
 * Calls `onFrame` for every complete frame of a server in the first `length` bytes. Returns the position after the last of these frames.
 * Throws for a frame that is masked or larger than 64 KiB.
 */
export function readFrames(bytes: Buffer, length: number, onFrame: OnFrame): number {
  let at = 0;
  while (at + 2 <= length) {
    let start = at + 2;
    let size = bytes[at + 1] ?? 0;
    if (size === TWO_BYTES) {
      start += 2;
      if (start > length) break;
      size = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    } else if (size >= EIGHT_BYTES) {
      throw new Error("The server sent a frame that is masked or larger than 64 KiB.");
    }
    if (start + size > length) break;
    onFrame(bytes, bytes[at] ?? 0, start, start + size);
    at = start + size;
  }
  return at;
}

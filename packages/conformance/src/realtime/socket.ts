import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { Json } from "@easel/protocol/types";
import { WebSocket } from "ws";
import { type Answer, type Header, read } from "../http.ts";
import { runtimePath } from "../page.ts";
import { PATIENCE_MS } from "../patience.ts";
import type { Person, Target } from "../target.ts";
import { socketHeaders } from "./handshake.ts";

/** A frame that the service sends. */
export interface Frame {
  type: string;
  [field: string]: Json;
}

/** The realtime connection of a canvas's page. It queues frames until a test takes them. */
export class Socket {
  readonly #socket: WebSocket;
  readonly #frames: Frame[] = [];
  readonly #news = new EventEmitter();
  #code: number | null = null;
  /** The reason of the close frame; empty until the connection is closed. */
  reason = "";

  /** Wraps a WebSocket that is open or opening. */
  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data, isBinary) => {
      assert.equal(isBinary, false, "frames are text");
      this.#frames.push(JSON.parse(data.toString()));
      this.#news.emit("news");
    });
    socket.on("close", (code, reason) => {
      this.#code = code;
      this.reason = reason.toString();
      this.#news.emit("news");
    });
    socket.on("error", () => {});
  }

  /** Sends a frame: an object as JSON, text as it is, bytes as a binary frame. */
  send(frame: object | string | Buffer): void {
    const isPlain = typeof frame === "string" || Buffer.isBuffer(frame);
    this.#socket.send(isPlain ? frame : JSON.stringify(frame));
  }

  /** Sends these bytes as one text message in `fragments` fragments. */
  sendText(bytes: Buffer, fragments = 1): void {
    const size = Math.max(1, Math.ceil(bytes.length / fragments));
    for (let from = 0; from === 0 || from < bytes.length; from += size) {
      const fin = from + size >= bytes.length;
      this.#socket.send(bytes.subarray(from, from + size), { binary: false, fin });
    }
  }

  /** Resolves with the next frame of the queue. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) return frame;
      assert.equal(this.#code, null, `closed with ${this.#code} where a frame was due`);
      await this.#waitFor("frame");
    }
  }

  /** Resolves with the next `count` frames. */
  async take(count: number): Promise<Frame[]> {
    const frames: Frame[] = [];
    while (frames.length < count) frames.push(await this.next());
    return frames;
  }

  /** Sends a frame, and resolves with the next frame that the service sends. */
  ask(frame: object | string | Buffer): Promise<Frame> {
    this.send(frame);
    return this.next();
  }

  /** Sends a `presence` request for an unused channel. Resolves with all frames that arrive before the response to it. */
  async settled(): Promise<Frame[]> {
    const channel = `round-trip-${randomUUID()}`;
    this.send({ type: "presence", channel });
    const frames: Frame[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame.type === "presence" && frame.channel === channel) return frames;
      frames.push(frame);
    }
  }

  /** Waits until the connection is closed. Resolves with the close code and the frames left in the queue. */
  async end(): Promise<{ code: number; frames: Frame[] }> {
    while (this.#code === null) await this.#waitFor("close");
    return { code: this.#code, frames: this.#frames.splice(0) };
  }

  /** Closes the connection as a browser does when its user leaves the page. */
  async close(): Promise<void> {
    this.#socket.close();
    await this.end();
  }

  /** Destroys the connection without a close frame. */
  async drop(): Promise<void> {
    this.#socket.terminate();
    await this.end();
  }

  async #waitFor(what: string): Promise<void> {
    try {
      await once(this.#news, "news", { signal: AbortSignal.timeout(PATIENCE_MS) });
    } catch {
      assert.fail(`no ${what} within ${PATIENCE_MS} ms`);
    }
  }
}

/** Opens the realtime connection of a canvas's page. Throws with the response if its status is not 101. */
export function connect(
  target: Target,
  slug: string,
  person: Person,
  headers: Header[] = socketHeaders(target, slug),
): Promise<Socket> {
  const base = new URL(target.base);
  const url = new URL(`${runtimePath(target, slug)}/realtime`, base);
  url.protocol = base.protocol.replace("http", "ws");
  // Not every system resolves names below localhost.
  if (base.hostname.endsWith(".localhost")) url.hostname = "127.0.0.1";
  const socket = new WebSocket(url, {
    headers: Object.fromEntries([["Host", base.host], ...person.headers, ...headers]),
    ...(base.protocol === "https:" ? { servername: base.hostname } : {}),
    handshakeTimeout: PATIENCE_MS,
  });
  const opened = new Socket(socket);
  return new Promise((resolve, reject) => {
    socket.on("open", () => resolve(opened));
    socket.on("unexpected-response", (_, response) => {
      read(response)
        .then((answer) => reject(refusal(answer)), reject)
        .finally(() => socket.terminate());
    });
    socket.on("error", reject);
  });
}

const refusal = ({ status, text }: Answer) => new Error(`the handshake was refused: ${status} ${text}`);

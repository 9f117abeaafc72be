import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import type { ZodType } from "zod";
import { Chunks } from "../async/chunks.ts";
import type { Turns } from "../async/event-loop-turns.ts";
import type { Env } from "../env.ts";
import { Refusal, refuse } from "./refusal.ts";
import { validate } from "./validate.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * Counts the values of a JSON text while it arrives, up to `limit`. The text is not parsed, because parsing millions of values takes long
 * and cannot be interrupted.
 */
export class ValueCount {
  #left: number;
  #inText = false;
  #escaped = false;

  constructor(limit: number = LIMITS.jsonValues.value) {
    this.#left = limit;
  }

  /** Counts the values that begin in the next part of the text. Throws 400 `INVALID_BODY` as soon as there are too many. */
  readonly add = (bytes: Uint8Array): void => {
    // Local variables: with fields, a byte takes several times as long.
    let left = this.#left;
    let inText = this.#inText;
    let at = this.#escaped ? 1 : 0;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) inText = !inText;
      else if (inText) at += byte === BACKSLASH ? 1 : 0;
      // Every value but the outermost follows a comma or the beginning of an array or object. Empty arrays and objects count twice.
      else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && --left <= 0)
        refuse("INVALID_BODY", { message: "The body has too many values." });
    }
    this.#left = left;
    this.#inText = inText;
    // The byte after a backslash is in the next part.
    this.#escaped = at > bytes.length;
  };
}

/** Timeout for the arrival of a whole body that is read into memory. */
const BODY_TIMEOUT_MS = 20_000;

/** `inspect` is called with each part of the body, and may throw to reject it before the rest has arrived. */
export interface ReadOptions {
  turns?: Turns | undefined;
  inspect?: (chunk: Buffer) => void;
}

/**
 * Whether all bytes of the body of a request are in its buffer. Node sets `complete` only when the code that the last bytes have started has
 * run, so a body of known length counts by its bytes.
 */
export function hasArrived(request: IncomingMessage): boolean {
  if (request.complete) return true;
  const { "content-length": length = 0, "transfer-encoding": encoding } = request.headers;
  return encoding === undefined && request.readableLength === Number(length);
}

/**
 * Reads a body into memory. Rejects with the error that `tooLarge` throws if the body is longer than `limit` bytes, with 408 `INVALID_BODY`
 * after 20 s, and with 400 if the client disconnects. If `turns` is given, the 20 s begin at the end of the current turn of the event loop,
 * because most bodies have arrived by then and need no timer.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  tooLarge: () => never,
  options: ReadOptions = {},
): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limit) tooLarge();
  if (!hasArrived(request)) return receiveBody(request, limit, tooLarge, options);
  // Without a length, `read` returns one chunk.
  const bytes: Buffer = request.read(request.readableLength) ?? Buffer.alloc(0);
  // Lets the stream end.
  request.resume();
  if (bytes.length > limit) tooLarge();
  options.inspect?.(bytes);
  return bytes;
}

/** Reads a body while it arrives. */
function receiveBody(
  request: IncomingMessage,
  limit: number,
  tooLarge: () => never,
  { turns, inspect }: ReadOptions,
): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const chunks = new Chunks();
    let timer: NodeJS.Timeout | undefined;
    let ended = false;
    const end = () => {
      ended = true;
      if (timer !== undefined) clearTimeout(timer);
    };
    const abort = (refusal: () => never) => {
      end();
      request.pause();
      request.removeAllListeners("data");
      try {
        refusal();
      } catch (error) {
        reject(error);
      }
    };
    const onClose = () => {
      end();
      if (!request.complete) reject(bodyAborted());
    };
    const startTimer = () => {
      if (!ended) timer = setTimeout(() => abort(refuseSlowBody), BODY_TIMEOUT_MS);
    };
    request.on("data", (chunk: Buffer) => {
      if (chunks.size + chunk.length > limit) return abort(tooLarge);
      try {
        inspect?.(chunk);
      } catch (error) {
        return abort(() => {
          throw error;
        });
      }
      chunks.add(chunk);
    });
    request.once("end", () => {
      end();
      resolve(chunks.bytes());
    });
    request.once("close", onClose);
    request.once("error", onClose);
    if (turns === undefined) startTimer();
    else turns.atEnd(startTimer);
  });
}

/** Throws 413 `BODY_TOO_LARGE` for a body of more than `limit` bytes. */
export const refuseLargeBody = (limit: number): never =>
  refuse("BODY_TOO_LARGE", { message: `The body of this request has at most ${limit} bytes.` });

const refuseSlowBody = (): never => {
  throw bodyTooSlow();
};

/** Returns the error for a body that takes too long to arrive. */
const bodyTooSlow = (): Refusal =>
  new Refusal(408, { code: "INVALID_BODY", message: "The body took too long to arrive." });

/** Returns the error for a body whose connection closed before its end. */
const bodyAborted = (): Refusal =>
  new Refusal(400, { code: "INVALID_BODY", message: "The request ended before its body did." });

/**
 * Parses JSON. Throws 400 `INVALID_BODY` for invalid UTF-8 or JSON, numbers that are not finite, and nesting that is too deep. `what` is
 * the subject of the error message. `levels` is the maximum number of nested arrays and objects.
 */
export function parseJson(bytes: Buffer, what = "The body", levels: number = LIMITS.jsonDepth.value): Json {
  if (!isUtf8(bytes)) refuse("INVALID_BODY", { message: `${what} is not valid UTF-8.` });
  let value: Json;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return refuse("INVALID_BODY", { message: `${what} is not valid JSON.` });
  }
  check(value, levels, what);
  return value;
}

function check(value: Json, levels: number, what: string): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    refuse("INVALID_BODY", { message: `${what} holds a number that is too large.` });
  }
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) refuse("INVALID_BODY", { message: `${what} is nested too deeply.` });
  for (const each of Array.isArray(value) ? value : Object.values(value)) check(each, levels - 1, what);
}

/** The size in bytes from which a body is parsed in a turn of the event loop without other such bodies. */
export const LARGE_BYTES = 64 * 1024;

/** Returns a media type without its parameters, in lower case, or an empty text if there is none. */
export const essenceOf = (type: string | undefined): string =>
  type?.split(";")[0]?.trim().toLowerCase() ?? "";

/** Where `readJson` reads from: the media type, and the function that reads all bytes, as `readBody` does. */
interface JsonSource {
  type: string | undefined;
  read(limit: number, tooLarge: () => never, options: ReadOptions): Promise<Buffer>;
}

/**
 * Reads and validates a JSON body of the management API. `person` is the id of its sender, in whose turn a large body is parsed. Throws 400
 * `INVALID_BODY` with a message that lists the first faults, and 413 `BODY_TOO_LARGE` if the body is longer than `limit` bytes.
 */
export async function readJson<Body>(
  source: JsonSource,
  schema: ZodType<Body>,
  person: string,
  { turns }: Pick<Env, "turns">,
  limit: number = LIMITS.managementBodyBytes.value,
): Promise<Body> {
  if (essenceOf(source.type) !== "application/json")
    refuse("INVALID_BODY", { message: "The body must be application/json." });
  const tooLarge = () => refuseLargeBody(limit);
  const bytes = await source.read(limit, tooLarge, { inspect: new ValueCount().add });
  const parse = () => validate(parseJson(bytes), schema);
  return bytes.length < LARGE_BYTES ? parse() : turns.alone(person, parse);
}

/** Timeout for the next chunk of a body. */
const IDLE_TIMEOUT_MS = 20_000;

/**
 * Streams the chunks of a body. Throws 408 `INVALID_BODY` if the next chunk does not arrive within 20 s, and 400 if the client disconnects.
 * If the consumer stops early, the rest of the body stays unread in the request.
 */
export async function* streamBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  let wake = () => {};
  const onEvent = () => wake();
  request.on("readable", onEvent).on("end", onEvent).on("close", onEvent);
  try {
    for (;;) {
      const chunk: Buffer | null = request.read();
      if (chunk !== null) yield chunk;
      else if (request.readableEnded) return;
      else if (request.destroyed) throw bodyAborted();
      else
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => reject(bodyTooSlow()), IDLE_TIMEOUT_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
    }
  } finally {
    request.off("readable", onEvent).off("end", onEvent).off("close", onEvent);
  }
}

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import type { Turns } from "../async/turns.ts";
import { Refusal, refuse } from "./refusal.ts";

/** How long a body that is read into memory may take. */
const BODY_TIMEOUT_MS = 20_000;

/**
 * Reads a body into memory. Stops at `limit` bytes and calls `tooLarge`; 408 `INVALID_BODY` when the body takes longer than 20 s. With
 * `turns`, the clock starts at the end of the turn: most bodies are there by then, and a timer costs more than they do.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  tooLarge: () => never,
  turns?: Turns,
): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let timer: NodeJS.Timeout | undefined;
    let over = false;
    const end = () => {
      over = true;
      if (timer !== undefined) clearTimeout(timer);
    };
    const cut = (refusal: () => never) => {
      end();
      request.pause();
      request.removeAllListeners("data");
      try {
        refusal();
      } catch (error) {
        reject(error);
      }
    };
    const breakOff = () => {
      end();
      if (!request.complete) reject(brokenOff());
    };
    const startTimer = () => {
      if (!over) timer = setTimeout(() => cut(tooSlow), BODY_TIMEOUT_MS);
    };
    if (Number(request.headers["content-length"] ?? 0) > limit) return cut(tooLarge);
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return cut(tooLarge);
      chunks.push(chunk);
    });
    request.once("end", () => {
      end();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.once("close", breakOff);
    request.once("error", breakOff);
    if (turns === undefined) startTimer();
    else turns.atEnd(startTimer);
  });
}

const tooSlow = () => refuse("INVALID_BODY", { message: "The body took too long to arrive." }, 408);

/**
 * Streams the chunks of a body; rejects as `brokenOff` when the client goes away. What is left of a body that is not read to its end is
 * discarded.
 */
export async function* streamBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw request.errored === null ? error : brokenOff();
  }
}

/** For whoever is still there to read it: the sender went away in the middle of a body. */
export const brokenOff = (): Refusal =>
  new Refusal(400, { code: "INVALID_BODY", message: "The request ended before its body did." });

/** A JSON value from its bytes: UTF-8, every number finite, at most so deep. Anything else is 400 `INVALID_BODY`. */
export function parseJson(bytes: Buffer): Json {
  if (!isUtf8(bytes)) refuse("INVALID_BODY", { message: "The body is not valid UTF-8." });
  let value: Json;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    return refuse("INVALID_BODY", { message: "The body is not valid JSON." });
  }
  check(value, LIMITS.jsonDepth.value);
  return value;
}

function check(value: Json, levels: number): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    refuse("INVALID_BODY", { message: "The body holds a number that is too large." });
  }
  if (typeof value !== "object" || value === null) return;
  if (levels === 0) refuse("INVALID_BODY", { message: "The body is nested too deeply." });
  for (const each of Array.isArray(value) ? value : Object.values(value)) check(each, levels - 1);
}

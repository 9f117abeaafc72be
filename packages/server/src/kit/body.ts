import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { Refusal, refuse } from "./refusal.ts";

/** How long a body that is read into memory may take. */
const BODY_TIMEOUT_MS = 20_000;

/** Reads a body into memory. Stops at `limit` bytes and calls `tooLarge`; 408 `INVALID_BODY` when the body takes too long. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  tooLarge: () => never,
  timeoutMs: number = BODY_TIMEOUT_MS,
): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = request.complete ? undefined : setTimeout(() => cut(tooSlow), timeoutMs);
    const cut = (refusal: () => never) => {
      clearTimeout(timer);
      request.pause();
      request.removeAllListeners("data");
      try {
        refusal();
      } catch (error) {
        reject(error);
      }
    };
    const breakOff = () => {
      clearTimeout(timer);
      if (!request.complete) reject(brokenOff());
    };
    if (Number(request.headers["content-length"] ?? 0) > limit) return cut(tooLarge);
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return cut(tooLarge);
      chunks.push(chunk);
    });
    request.once("end", () => {
      clearTimeout(timer);
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.once("close", breakOff);
    request.once("error", breakOff);
  });
}

const tooSlow = () => refuse("INVALID_BODY", { message: "The body took too long to arrive." }, 408);

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

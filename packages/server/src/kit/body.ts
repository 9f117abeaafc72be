import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { Refusal, refuse } from "./refusal.ts";

/** Reads a body into memory, at most `limit` bytes of it: past that it stops and calls `tooLarge`. */
export function readBody(request: IncomingMessage, limit: number, tooLarge: () => never): Promise<Buffer> {
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const cut = () => {
      request.pause();
      request.removeAllListeners("data");
      try {
        tooLarge();
      } catch (refusal) {
        reject(refusal);
      }
    };
    if (Number(request.headers["content-length"] ?? 0) > limit) return cut();
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return cut();
      chunks.push(chunk);
    });
    request.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once("close", () => request.complete || reject(brokenOff()));
    request.once("error", () => reject(brokenOff()));
  });
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

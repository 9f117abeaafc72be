import type { Readable } from "node:stream";
import type { Canvas } from "../canvases/access-lookup.ts";
import type { Input } from "../operations/operation.ts";
import type { Answer } from "../primitives/primitive.ts";
import { performRuntime, type ToolCall } from "./tool-call.ts";

/** Reads a stream to its end, or until it has more than `room` bytes: then ends it and returns null. */
async function readWithin(stream: Readable, room: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    // Leaving the loop destroys the stream, so that nothing more is read from the database.
    if (size > room) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const bodyOf = (answer: Answer) =>
  typeof answer === "string" || "pipe" in answer ? answer : (answer.body ?? "null");

/**
 * Performs an operation of the runtime API whose result is JSON, as `performRuntime` does, and returns the JSON text. Returns null for a list
 * of more than `room` bytes that is longer than what the service reads at once, without reading the rest.
 */
export async function readJsonText(
  call: ToolCall,
  canvas: Pick<Canvas, "id" | "slug">,
  name: string,
  given: Partial<Input>,
  room: number = Number.POSITIVE_INFINITY,
): Promise<string | null> {
  const body = bodyOf(await performRuntime(call, canvas, name, given));
  return typeof body === "string" || body instanceof Uint8Array ? String(body) : readWithin(body, room);
}

/** Performs an operation of the runtime API whose result is JSON, as `performRuntime` does, and returns the parsed result. */
export async function readJson<Body>(
  ...operation: [call: ToolCall, canvas: Pick<Canvas, "id" | "slug">, name: string, given: Partial<Input>]
): Promise<Body> {
  return JSON.parse((await readJsonText(...operation)) ?? "null") as Body;
}

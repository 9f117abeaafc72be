import type { ChatEvent } from "@easel/protocol/ai";
import { EaselError, text, toError } from "../errors.ts";

/** An `error` event as the service sent it. The types of its fields have not been checked yet. */
interface ErrorEvent {
  type: "error";
  code?: unknown;
  message?: unknown;
}

type Received = Exclude<ChatEvent, { type: "error" }> | ErrorEvent;

/** Parses the data of an event. Returns undefined if it is not JSON or not an event of a chat. */
export function toChatEvent(data: string): Received | undefined {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    return undefined;
  }
  const { type, text: delta, usage, cost } = Object(event) as Record<string, unknown>;
  const valid =
    type === "error" ||
    (type === "delta" && typeof delta === "string") ||
    (type === "done" && typeof cost === "number" && typeof usage === "object" && usage !== null);
  return valid ? (event as Received) : undefined;
}

/** The HTTP statuses that correspond to codes of `error` events; 502 for any other code (specification 7). */
const STATUS = new Map([
  ["CAPABILITY_DISABLED", 403],
  ["QUOTA_EXCEEDED", 429],
  ["GUEST_AI_CAP", 429],
]);

/** Converts an `error` event to the error that the page gets. */
export function toStreamError(event: ErrorEvent): EaselError {
  const code = text(event.code) ?? "AI_ERROR";
  const status = STATUS.get(code);
  return status === undefined
    ? broken(code, text(event.message) ?? "The response of the model failed.")
    : toError(status, event);
}

/** Returns the error for a stream that failed after it was opened. */
export const broken = (code: string, message: string, cause?: unknown): EaselError =>
  new EaselError({ status: 502, code, message, cause });

import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import type { Env } from "../env.ts";
import { readBody } from "../http/body.ts";
import { refuse } from "../http/refusal.ts";
import type { Call } from "./primitive.ts";

/** A JSON value as it is stored: a number as itself, so that it can be incremented, anything else as JSON text. */
export type Stored = { value: string; number: null } | { value: null; number: number };

const MAX_BYTES = LIMITS.valueBytes.value;
const tooLarge = () => refuse("VALUE_TOO_LARGE");

/** Reads the body of a value. JSON escapes one character as up to six bytes, so a value within its limit has a body within six times that. */
export const readValue = ({ request }: Call, { turns }: Env): Promise<Buffer> =>
  readBody(request, 6 * MAX_BYTES, tooLarge, turns);

/** Converts a value to the form in which it is stored; throws 413 `VALUE_TOO_LARGE` beyond 64 KiB of JSON text. */
export function toStored(json: Json): Stored {
  if (typeof json === "number") return { value: null, number: json };
  const value = JSON.stringify(json);
  if (Buffer.byteLength(value) > MAX_BYTES) tooLarge();
  return { value, number: null };
}

/** Returns the JSON text of a stored value. */
export const toText = (stored: Stored): string =>
  stored.number === null ? stored.value : JSON.stringify(stored.number);

import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import type { Env } from "../env.ts";
import { readBody } from "../http/body.ts";
import { refuse } from "../http/refusal.ts";
import type { Call } from "./primitive.ts";

/**
 * The stored form of a JSON value. A number is in `number`, so that SQL can increment it (decision 003). Any other value is in `value`, as
 * JSON text.
 */
export type Stored = { value: string; number: null } | { value: null; number: number };

const MAX_BYTES = LIMITS.valueBytes.value;
const tooLarge = () => refuse("VALUE_TOO_LARGE");

/**
 * Reads a request body that contains a value. The body may have six times the maximum size of a value, because JSON can write a one-byte
 * character as six bytes, such as `\u0061`. Throws 413 `VALUE_TOO_LARGE` if the body is longer.
 */
export const readValue = ({ request }: Call, { turns }: Env): Promise<Buffer> =>
  readBody(request, 6 * MAX_BYTES, tooLarge, { turns });

/** Converts a value to its stored form. Throws 413 `VALUE_TOO_LARGE` if its JSON text is longer than 64 KiB. */
export function toStored(json: Json): Stored {
  if (typeof json === "number") return { value: null, number: json };
  const value = JSON.stringify(json);
  if (Buffer.byteLength(value) > MAX_BYTES) tooLarge();
  return { value, number: null };
}

/** Returns the JSON text of a stored value. */
export const toText = (stored: Stored): string =>
  stored.number === null ? stored.value : JSON.stringify(stored.number);

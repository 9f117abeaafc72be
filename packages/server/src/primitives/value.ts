import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import type { Env } from "../env.ts";
import { readBody } from "../http/body.ts";
import { refuse } from "../http/refusal.ts";
import type { Call } from "./primitive.ts";

/** A JSON value as it is stored: a number as itself, so that it can be incremented, anything else as JSON text. */
export type Stored = { value: string; number: null } | { value: null; number: number };

const MOST_BYTES = LIMITS.valueBytes.value;
const tooLarge = () => refuse("VALUE_TOO_LARGE");

/** The body that a value comes in. One of its characters may come as six bytes: no value that fits is longer on its way. */
export const valueBytes = ({ request }: Call, { turns }: Env): Promise<Buffer> =>
  readBody(request, 6 * MOST_BYTES, tooLarge, turns);

/** Past 64 KiB of JSON text it is 413 `VALUE_TOO_LARGE`. */
export function toStored(json: Json): Stored {
  if (typeof json === "number") return { value: null, number: json };
  const value = JSON.stringify(json);
  if (Buffer.byteLength(value) > MOST_BYTES) tooLarge();
  return { value, number: null };
}

/** The JSON text of a stored value. */
export const toText = (stored: Stored): string =>
  stored.number === null ? stored.value : JSON.stringify(stored.number);

import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import { refuse } from "../kit/refusal.ts";

/** A JSON value as it is stored: a number as itself, so that it can be incremented, anything else as JSON text. */
export type Stored = { value: string; number: null } | { value: null; number: number };

/** Past 64 KiB of JSON text it is 413 `VALUE_TOO_LARGE`. */
export function toStored(json: Json): Stored {
  if (typeof json === "number") return { value: null, number: json };
  const value = JSON.stringify(json);
  if (Buffer.byteLength(value) > LIMITS.kvValueBytes.value) refuse("VALUE_TOO_LARGE");
  return { value, number: null };
}

/** The JSON text of a stored value. */
export const toText = (stored: Stored): string =>
  stored.number === null ? stored.value : JSON.stringify(stored.number);

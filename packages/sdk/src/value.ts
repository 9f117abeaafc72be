import type { Json } from "@easel/protocol/types";
import { EaselError, invalid } from "./errors.ts";

/** A type without the parts that JSON cannot represent: functions, symbols and big integers become `never`. */
export type Serializable<Value> = Value extends Json
  ? Value
  : Value extends bigint | symbol | ((...given: never[]) => unknown)
    ? never
    : Value extends object
      ? {
          [Name in keyof Value]:
            | Serializable<Exclude<Value[Name], undefined>>
            | Extract<Value[Name], undefined>;
        }
      : never;

const KINDS = ["boolean", "number", "object", "string"];

/** Returns the value unchanged. Throws if JSON would leave it out (undefined, functions) or write null instead (NaN, infinities). */
export function requireJson<Value>(value: Value): Value {
  if (!KINDS.includes(typeof value)) throw invalid(`A value of type ${typeof value} is not JSON.`);
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(`${value} is not JSON.`);
  return value;
}

/**
 * Encodes a value as JSON. Calls `replace` for the value and for every value inside it, and encodes the results. Throws an `EaselError` if
 * the value cannot be encoded.
 */
export function toJson(value: unknown, replace?: (each: unknown) => unknown): string {
  try {
    const text = JSON.stringify(value, replace && ((_, each) => replace(each)));
    if (text !== undefined) return text;
  } catch (cause) {
    throw cause instanceof EaselError ? cause : invalid("The value cannot be encoded as JSON.", cause);
  }
  throw invalid("The value cannot be encoded as JSON.");
}

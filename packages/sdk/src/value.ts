import { EaselError, invalid } from "./errors.ts";

const KINDS = ["boolean", "number", "object", "string"];

/** A value as it is; refused where JSON would leave it out, or write null for what is not null. */
export function storable<Value>(value: Value): Value {
  if (!KINDS.includes(typeof value)) throw invalid(`${typeof value} is no JSON.`);
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(`${value} is no JSON.`);
  return value;
}

/** A value as JSON, each part of it as `part` gives it; refused where it cannot be written. */
export function jsonOf(value: unknown, part?: (each: unknown) => unknown): string {
  try {
    const text = JSON.stringify(value, part && ((_, each) => part(each)));
    if (text !== undefined) return text;
  } catch (cause) {
    throw cause instanceof EaselError ? cause : invalid("This value cannot be written as JSON.", cause);
  }
  throw invalid("This value cannot be written as JSON.");
}

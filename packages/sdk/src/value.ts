import { invalid } from "./errors.ts";

/** A value as it is; refused where JSON would write nothing, or null for what is not null. */
export function storable<Value>(value: Value): Value {
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value)))
    throw invalid(`${value} is no JSON.`);
  return value;
}

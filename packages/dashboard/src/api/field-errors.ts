import { ApiError } from "./api-error.ts";

/** Returns the field of the body that the service refuses, such as `headers.x-key`, or null. */
function fieldIn(error: Error | null): string | null {
  const field = error instanceof ApiError ? error.body.field : null;
  return typeof field === "string" && field !== "" ? field : null;
}

const isAt = (field: string | null, name: string): boolean =>
  field !== null && (field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`));

/** Returns why the service refuses a field of a form, or null if the error is not about it. */
export const errorAt = (error: Error | null, name: string): string | null =>
  isAt(fieldIn(error), name) ? (error as Error).message : null;

/** Returns an error that is about none of these fields, which the form shows as a whole, or null. */
export const errorElsewhere = (error: Error | null, names: readonly string[]): Error | null =>
  error !== null && names.some((name) => isAt(fieldIn(error), name)) ? null : error;

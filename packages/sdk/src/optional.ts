import { NotFoundError } from "./errors.ts";

/** Resolves with the value of a response, or with undefined if the service responded with `NOT_FOUND`. Rethrows every other error. */
export async function optional<Value>(response: Promise<Value>): Promise<Value | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof NotFoundError && error.reason === "NOT_FOUND") return undefined;
    throw error;
  }
}

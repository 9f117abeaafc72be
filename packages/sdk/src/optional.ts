import { NotFoundError } from "./errors.ts";

/** Resolves with undefined instead of rejecting when the service says `NOT_FOUND`; every other error is rethrown. */
export async function optional<Value>(response: Promise<Value>): Promise<Value | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof NotFoundError && error.reason === "NOT_FOUND") return undefined;
    throw error;
  }
}

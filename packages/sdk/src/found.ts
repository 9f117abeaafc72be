import { NotFoundError } from "./errors.ts";

/** What is there, or undefined where the service says that it is not; every other error stays one. */
export async function found<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFoundError && error.reason === "NOT_FOUND") return undefined;
    throw error;
  }
}

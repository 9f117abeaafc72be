import { NotFoundError } from "./errors.ts";
import type { Api } from "./request.ts";

/**
 * Reads something that may not exist. Resolves with undefined if it does not. Asks for a response with status 200 in this case, because
 * browsers write every 404 to the console. An older service responds with 404 nevertheless.
 */
export async function readOptional<Value extends object>(api: Api, path: string): Promise<Value | undefined> {
  try {
    const answer = await api.json<Value | { absent: true }>("GET", `${path}?optional=true`);
    return "absent" in answer ? undefined : answer;
  } catch (error) {
    if (error instanceof NotFoundError && error.reason === "NOT_FOUND") return undefined;
    throw error;
  }
}

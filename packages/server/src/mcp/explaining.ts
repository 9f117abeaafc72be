import type { ErrorCode } from "@easel/protocol/errors";
import { Refusal } from "../http/refusal.ts";

/** Does what may be refused with a code. Adds to such a refusal what a model has to know: a hint, and a message in place of its own. */
export async function explaining<Result>(
  code: ErrorCode,
  work: () => Promise<Result>,
  explain: () => Promise<{ hint: string; message?: string }>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== code) throw error;
    throw new Refusal(error.status, { ...error.body, ...(await explain()) });
  }
}

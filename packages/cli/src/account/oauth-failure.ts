import { AuthorizationResponseError, ResponseBodyError } from "openid-client";
import { causeOf } from "../api/send.ts";
import type { Context } from "../context.ts";
import { Failure, fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

const REASONS: Record<string, string> = {
  access_denied: "You have not allowed the sign-in.",
  expired_token: "The code has expired before anyone entered it.",
};

/** Runs a step of the sign-in at a service, and converts its errors to a `Failure`. After Ctrl-C, throws the reason of `signal`. */
export async function explain<Result>(
  url: string,
  work: () => Promise<Result>,
  { signal }: Pick<Context, "signal">,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof Failure) throw error;
    if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
      const said = error.error_description ?? error.error;
      return fail(REASONS[error.error] ?? `The service refuses: ${clean(said)}`, {
        hint: `Run \`easel login ${url}\` again.`,
      });
    }
    if (error instanceof TypeError && error.cause instanceof Error)
      return fail(`${url} cannot be reached: ${clean(causeOf(error))}.`, { exit: "unreachable" });
    return fail(`The sign-in at ${url} failed: ${clean(causeOf(error))}.`);
  }
}

import { setTimeout as wait } from "node:timers/promises";
import type { Canvas } from "@easel/protocol/types";
import { createEasel, type Easel, EaselError } from "@easel/sdk";
import { requireEncryption } from "../api/encryption.ts";
import { causeOf } from "../api/send.ts";
import type { Service } from "../api/service.ts";
import type { Context } from "../context.ts";
import { type Exit, fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

const EXITS: Record<number, Exit> = { 0: "unreachable", 401: "signedOut", 403: "denied", 404: "denied" };

/** The maximum `Retry-After` in seconds after which a request is sent again. */
const LONGEST_WAIT_S = 120;
/** The maximum number of times that a request is sent. */
const MAX_TRIES = 6;

/** Returns a `fetch` that sends a request again after 429 with `Retry-After`. */
function retryingFetch({ signal, terminal }: Context) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    for (let tries = 1; ; tries += 1) {
      const signals = [signal, ...(init.signal ? [init.signal] : [])];
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      const after = Number(response.headers.get("retry-after") ?? "NaN");
      if (response.status !== 429 || !(after <= LONGEST_WAIT_S) || tries >= MAX_TRIES) return response;
      await response.body?.cancel();
      if (after > 2) terminal.say(`Too many requests; going on in ${after} s…`);
      await wait(after * 1000, undefined, { signal });
    }
  };
}

/**
 * Returns a client of the SDK for a canvas. It uses the token of the person. Throws a usage error if the address of the canvas is an http
 * URL of another computer.
 */
export function runtimeOf({ url }: Canvas, { token }: Service, context: Context): Easel {
  requireEncryption(url);
  return createEasel({ url, token, fetch: retryingFetch(context) });
}

/** Runs calls of the SDK. Converts an `EaselError` to a `Failure` with the exit code for its HTTP status. */
export async function runtimeCall<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof EaselError)) throw error;
    const message =
      error.status === 0 && error.cause !== undefined
        ? `The service cannot be reached: ${causeOf(error.cause)}.`
        : error.message;
    return fail(clean(message), { exit: EXITS[error.status] ?? "failed" });
  }
}

import { setTimeout as wait } from "node:timers/promises";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { refusalOf } from "./refusal.ts";

/** The maximum number of times that a request is sent. */
const MAX_TRIES = 6;
/** The maximum `Retry-After` in seconds after which a request is sent again. */
const LONGEST_WAIT_S = 120;

/** The time within which the service must answer by default. */
const TIMEOUT_MS = 60_000;
/** The time within which the service must answer an upload, or publish a deploy. */
export const UPLOAD_TIMEOUT_MS = 300_000;

/** The descriptions of connection errors, by error code or name. */
const CAUSES: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name cannot be looked up; is there a network?",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  TimeoutError: "it does not answer",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; set NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an unknown authority; set NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate comes from an unknown authority; set NODE_EXTRA_CA_CERTS",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

/** Returns the cause of a failed `fetch` in words. */
export const causeOf = (error: unknown): string => clean(wordsFor(error));

function wordsFor(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as NodeJS.ErrnoException;
    const key = typeof code === "string" ? code : each.name;
    if (CAUSES[key] !== undefined) return CAUSES[key];
    if (each instanceof AggregateError && each.errors.length > 0) return wordsFor(each.errors[0]);
    if (!(each.cause instanceof Error)) return typeof code === "string" ? code : each.message;
  }
  return String(error);
}

/** The context in which requests to one service are sent. */
export interface SendContext {
  /** The base URL of the service, without a slash at the end. */
  url: string;
  token: string | undefined;
  signal: AbortSignal;
  terminal: Pick<Terminal, "say">;
  /** Whether the service has answered a request of this run. Until then, requests are not sent again, because the URL may be wrong. */
  wasReached: boolean;
}

/** The options of a request. */
export interface SendOptions {
  /** Whether the request may be sent again after a failure. By default it may if its method is idempotent. */
  repeatable?: boolean;
  /** The time within which the service must answer. The default is a minute. */
  timeoutMs?: number;
}

/** Whether a request failed because the file in its body was changed or deleted. */
const isUnreadableBody = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error && error.cause.name === "NotReadableError";

/**
 * Sends a request and returns its response. Calls `create` for every attempt. After 429 with `Retry-After`, waits for that time and sends
 * the request again. Does the same after 503 if the request is repeatable: its method is `GET`, `HEAD`, `PUT` or `DELETE`, or `repeatable`
 * is set. Also sends a repeatable request again after a failed connection, with growing pauses. Throws a `Refusal` for an error response
 * and a `Failure` if the service cannot be reached.
 */
export async function send(
  create: () => Request,
  context: SendContext,
  { repeatable, timeoutMs = TIMEOUT_MS }: SendOptions = {},
): Promise<Response> {
  const { url, token, signal, terminal } = context;
  for (let tries = 1; ; tries += 1) {
    const request = create();
    if (token !== undefined) request.headers.set("authorization", `Bearer ${token}`);
    const mayRepeat = repeatable ?? ["GET", "HEAD", "PUT", "DELETE"].includes(request.method);
    let response: Response;
    try {
      response = await fetch(request, {
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isUnreadableBody(error)) throw (error as Error).cause;
      if (!mayRepeat || !context.wasReached || tries >= MAX_TRIES)
        fail(`${url} cannot be reached: ${causeOf(error)}.`, { exit: "unreachable" });
      if (tries === 2) terminal.say(`${url} cannot be reached (${causeOf(error)}); trying again…`);
      await wait(250 * 2 ** tries, undefined, { signal });
      continue;
    }
    context.wasReached = true;
    if (response.ok || response.status === 304) return response;
    const after = Number(response.headers.get("retry-after") ?? "NaN");
    const isBusy = response.status === 429 || (response.status === 503 && mayRepeat);
    if (!isBusy || !(after <= LONGEST_WAIT_S) || tries >= MAX_TRIES) throw await refusalOf(response, url);
    await response.body?.cancel();
    if (after > 2) terminal.say(`${url} is busy; going on in ${after} s…`);
    await wait(after * 1000, undefined, { signal });
  }
}

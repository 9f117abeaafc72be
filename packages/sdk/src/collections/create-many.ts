import { isEaselError } from "../guards.ts";
import { pause } from "../pause.ts";
import { createListeners, type Listener } from "../realtime/listeners.ts";
import { type Api, jsonInit } from "../request.ts";
import { requireJson, toJson } from "../value.ts";

/** Options of `createMany`. */
export interface CreateManyOptions {
  /** Called after each record that was created: `done` of `total` records exist. */
  onProgress?: Listener<{ done: number; total: number }> | undefined;
  /** Stops before the next record. */
  signal?: AbortSignal | undefined;
}

/** Records are created slowly when the requests that are left are at most the limit divided by this number: a quarter of it. */
const RESERVE = 4;
/**
 * The time between two records that are created slowly. They take a twentieth of the default limit at most, so that a fifth of the limit is
 * left to the other calls of the page.
 */
const SLOW_MS = 10_000;

/**
 * Creates records by POST requests to `path`, one after the other in the order of `values`, and resolves with them. When few requests are
 * left, sends one every `SLOW_MS` until the next window of the rate limit. A request that the rate limit refuses is sent again, because the
 * service has not carried it out. Any other error rejects.
 */
export async function createMany<CreatedRecord>(
  api: Api,
  path: string,
  values: readonly unknown[],
  { onProgress, signal }: CreateManyOptions = {},
): Promise<CreatedRecord[]> {
  const bodies = values.map((value) => toJson(requireJson(value)));
  const progress = createListeners<{ done: number; total: number }>();
  if (onProgress) progress.add(onProgress);
  const records: CreatedRecord[] = [];
  /** The limit of requests a minute, from the headers of the last response. NaN if requests are not limited. */
  let limit = Number.NaN;
  let left = limit;
  const readHeaders = ({ headers, ok }: Response) => {
    [limit = 0, left = 0] = ["limit", "remaining"].map((name) =>
      Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
    );
    return ok;
  };

  for (let wait = 0; records.length < bodies.length; ) {
    signal?.throwIfAborted();
    if (wait > 0) await pause(wait, signal);
    wait = 0;
    try {
      const init = jsonInit(bodies[records.length] as string);
      records.push(await api.receive("POST", path, init, undefined, readHeaders));
      progress.emit({ done: records.length, total: bodies.length });
      if (left * RESERVE <= limit) wait = SLOW_MS;
    } catch (error) {
      // If requests are left, the same code means that the response was too large for now, and the record exists.
      if (left !== 0 || !isEaselError(error, "RATE_LIMITED") || !error.retryAfter) throw error;
      wait = error.retryAfter * 1_000;
    }
  }
  return records;
}

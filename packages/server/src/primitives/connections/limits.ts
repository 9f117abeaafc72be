import { setTimeout as sleep } from "node:timers/promises";
import type { ErrorCode } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import type { ConnectionLimits } from "@easel/protocol/management";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { newId } from "../../crypto/ids.ts";
import type { Bucket } from "../../drivers/bus/bus.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { takeOfDay, writeCounts } from "../../organisation/connections/calls.ts";
import { resealHeaders } from "../../organisation/connections/profiles.ts";
import { DAY_MS } from "../../organisation/days.ts";

/** Returns the number of a day (UTC) since 1970. */
const dayOf = (time: number) => Math.floor(time / DAY_MS);

/** The tables of Connections: the profiles, and of each canvas the grants and the counts of calls. */
export const connectionsData: CanvasData = {
  otherTables: ["connection_profiles"],
  tables: {
    connection_grants: { key: ["canvas_id", "profile"] },
    connection_days: { key: ["canvas_id", "profile", "day"] },
    connection_calls: { key: ["canvas_id", "profile", "day", "outcome", "up_to_ms"] },
  },
  cleanUps: [
    {
      what: "counts of calls",
      keptMs: 90 * DAY_MS,
      remove: (until, { db }) =>
        db.withReserve.run`delete from connection_calls where day <= ${dayOf(until)}`,
    },
    {
      what: "requests of days that limit a grant",
      keptMs: DAY_MS,
      remove: (until, { db }) => db.withReserve.run`delete from connection_days where day < ${dayOf(until)}`,
    },
  ],
};

/** Encrypts protected headers with the first encryption key if they were encrypted with another one. Logs the result and never rejects. */
export const startResealing = (env: Env): Promise<void> =>
  resealHeaders(env)
    .then((count) => {
      if (count > 0) env.log.info(`encrypted the protected headers of ${count} Connections with the new key`);
    })
    .catch((err) => env.log.error({ err }, "protected headers are not encrypted with the new key"));

/** The error codes that are counted. They can occur only for a profile that is granted to the canvas. */
export const METERED: ReadonlySet<ErrorCode> = new Set([
  "CONNECTION_DISABLED",
  "CONNECTION_KEY_UNAVAILABLE",
  "CONNECTION_LIMIT",
  "CONNECTION_RATE_LIMIT",
  "DESTINATION_BLOCKED",
  "REQUEST_TOO_LARGE",
  "RESPONSE_TOO_LARGE",
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_UNAVAILABLE",
]);

/** The interval at which counted calls are written to the database. */
const INTERVAL_MS = 5_000;

/** Writes the counted calls to the database every five seconds. Returns a function that stops this and writes the last counts. */
export function startMetering(env: Env): () => Promise<void> {
  const write = () =>
    writeCounts(env).catch((err) => env.log.error({ err }, "calls of Connections are not counted"));
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(write);
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
    await write();
  };
}

const MINUTE_MS = 60_000;

/** The time between two attempts to get a place while other nodes have the caller's. */
const RETRY_MS = 100;

const ANEW = "The count starts again at midnight UTC.";

/** Identifies a call for its limits: the user, the canvas and the profile. */
export interface LimitedCall {
  userId: string;
  canvasId: string;
  profile: string;
}

/**
 * Counts a request. Throws 429 `CONNECTION_RATE_LIMIT` if the caller, or all callers of the profile together, have sent too many in this
 * minute, or if the grant limits the requests of a day, and guests and visitors have none left or the caller has sent half of them.
 */
export async function takeRates(
  caller: LimitedCall,
  { requestsPerDay }: ConnectionLimits,
  env: Env,
): Promise<void> {
  const { bus } = env;
  const { userId, canvasId, profile } = caller;
  const own: Bucket = { rateClass: "connection", owner: userId, part: `${canvasId} ${profile}` };
  const shared: Bucket = { rateClass: "connection.profile", owner: profile };
  await takeOr429(own, LIMITS.connectionCallsPerMinute.value, env);
  try {
    await takeOr429(shared, LIMITS.profileCallsPerMinute.value, env);
  } catch (error) {
    await bus.giveBack(own);
    throw error;
  }
  if (requestsPerDay === undefined) return;
  try {
    await takeDay(caller, requestsPerDay, env);
  } catch (error) {
    await bus.giveBack(shared);
    throw error;
  }
}

/** Counts a request on its day (UTC), for the caller and for all guests and visitors together. */
async function takeDay({ userId, canvasId, profile }: LimitedCall, most: number, env: Env): Promise<void> {
  const { bus, clock } = env;
  const own: Bucket = { rateClass: "connection.day", owner: userId, part: `${canvasId} ${profile}` };
  const untilMidnight = DAY_MS - (clock() % DAY_MS);
  const { allowed, resetMs } = await bus.take(own, Math.ceil(most / 2), untilMidnight);
  if (!allowed)
    refuseRate(
      own,
      resetMs,
      env,
      `You have sent half of the requests that guests and visitors have on this day. ${ANEW}`,
    );
  const waitMs = await takeOfDay(canvasId, profile, most, env);
  if (waitMs === null) return;
  await bus.giveBack(own);
  refuseRate(own, waitMs, env, `Guests and visitors have no requests left on this day. ${ANEW}`);
}

async function takeOr429(bucket: Bucket, perMinute: number, env: Env): Promise<void> {
  const { allowed, resetMs } = await env.bus.take(bucket, perMinute, MINUTE_MS);
  if (!allowed) refuseRate(bucket, resetMs, env);
}

function refuseRate({ rateClass }: Bucket, waitMs: number, { metrics }: Env, message?: string): never {
  metrics.rateLimited.add(1, rateClass);
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return refuse("CONNECTION_RATE_LIMIT", message === undefined ? {} : { message }, undefined, {
    "retry-after": String(seconds),
  });
}

/**
 * Begins a call. Throws 429 `CONNECTION_LIMIT` if the caller has too many. Returns the function to call when the client has received the
 * response or has disconnected.
 */
export const beginCall = (caller: LimitedCall, { outboundCalls }: Env): (() => void) =>
  outboundCalls.open(caller) ?? refuseBusy();

/**
 * Waits for the caller's turn, holds one of the places of the canvas and runs `task`. The place is free again when the task has settled
 * (decision 048). Throws 429 `CONNECTION_LIMIT` if the canvas has no place, and 504 `UPSTREAM_TIMEOUT` if `signal` aborts before the task
 * begins.
 */
export async function inPlace<Result>(
  caller: LimitedCall,
  task: () => Promise<Result>,
  signal: AbortSignal,
  env: Env,
): Promise<Result> {
  const held = async () => {
    const free = await takePlace(caller, signal, env);
    try {
      return await task();
    } finally {
      free();
    }
  };
  try {
    return await env.outboundCalls.run(caller, held, signal);
  } catch (error) {
    if (signal.aborted && error === signal.reason) return refuse("UPSTREAM_TIMEOUT");
    throw error;
  }
}

/** Takes one of the places that a canvas has on all nodes together. While other nodes run as many calls of the caller as allowed, waits. */
async function takePlace(
  { canvasId, userId }: LimitedCall,
  signal: AbortSignal,
  env: Env,
): Promise<() => void> {
  const { bus, lease, log } = env;
  const place = `connections ${canvasId}`;
  const holder = { id: newId(), owner: userId, lease: lease.id };
  const limits = { all: LIMITS.connectionCallsPerCanvas.value, each: LIMITS.connectionCallsPerCaller.value };
  let outcome = await bus.hold(place, holder, limits);
  while (outcome === "owner full") {
    await sleep(RETRY_MS);
    signal.throwIfAborted();
    outcome = await bus.hold(place, holder, limits);
  }
  if (outcome === "full") refuseBusy();
  return () => {
    bus
      .release(place, holder.id)
      .catch((err) => log.warn({ err }, "a place of a Connection is not released"));
  };
}

const refuseBusy = (): never => refuse("CONNECTION_LIMIT", {}, undefined, { "retry-after": "1" });

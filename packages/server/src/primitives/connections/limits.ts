import { LIMITS } from "@easel/protocol/limits";
import { newId } from "../../crypto/ids.ts";
import type { Bucket } from "../../drivers/bus/bus.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";

const MINUTE_MS = 60_000;

/** Identifies a call for its limits: the user, the canvas and the profile. */
export interface Caller {
  userId: string;
  canvasId: string;
  profile: string;
}

/** Throws 429 `CONNECTION_RATE_LIMIT` if the caller, or all callers of the profile together, have sent too many requests in this minute. */
export async function takeRates({ userId, canvasId, profile }: Caller, { bus, config }: Env): Promise<void> {
  if (!config.rateLimit) return;
  const own: Bucket = { rateClass: "connection", owner: userId, part: `${canvasId} ${profile}` };
  const shared: Bucket = { rateClass: "connection.profile", owner: profile };
  await takeOr429(own, LIMITS.connectionCallsPerMinute.value, bus);
  try {
    await takeOr429(shared, LIMITS.profileCallsPerMinute.value, bus);
  } catch (error) {
    await bus.giveBack(own);
    throw error;
  }
}

async function takeOr429(bucket: Bucket, perMinute: number, bus: Env["bus"]): Promise<void> {
  const { allowed, resetMs } = await bus.take(bucket, perMinute, MINUTE_MS);
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  if (!allowed) refuse("CONNECTION_RATE_LIMIT", {}, undefined, { "retry-after": String(seconds) });
}

/**
 * Takes two places for a concurrent call: one of the places that its canvas has on all nodes together, and one of this process. Throws 429
 * `CONNECTION_LIMIT` if either has no free place. Returns the function that frees both places.
 */
export async function takePlaces({ canvasId, userId }: Caller, env: Env): Promise<() => void> {
  const { bus, lease, log, outboundCalls } = env;
  const end = outboundCalls.begin("process");
  if (end === null) return refuseBusy();
  const place = `connections ${canvasId}`;
  const holder = newId();
  try {
    const most = LIMITS.connectionCallsPerCanvas.value;
    const outcome = await bus.hold(place, { id: holder, owner: userId, lease }, { all: most, each: most });
    if (outcome !== "held") refuseBusy();
  } catch (error) {
    end();
    throw error;
  }
  return () => {
    end();
    bus.release(place, holder).catch((err) => log.warn({ err }, "a place of a Connection is not released"));
  };
}

const refuseBusy = (): never => refuse("CONNECTION_LIMIT", {}, undefined, { "retry-after": "1" });

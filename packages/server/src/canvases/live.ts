import type { Env } from "../env.ts";

const TOPIC = "access";
/** What stands for all canvases in a message. */
const ALL = "";

/**
 * Tells every node that who may be on a canvas, or what they may do there, may have changed; null for all canvases. A change
 * that was made stays made when nobody can be told: open connections are looked at from time to time anyway.
 */
export async function announceAccess(canvas: string | null, { bus, log }: Env): Promise<void> {
  await bus
    .publish(TOPIC, canvas ?? ALL)
    .catch((error) => log.error({ err: error }, "a change of access could not be told"));
}

/** Listens to that; answers a function that stops. */
export function onAccessChange(
  listener: (canvas: string | null) => void,
  { bus }: Env,
): Promise<() => Promise<void>> {
  return bus.subscribe(TOPIC, (canvas) => listener(canvas === ALL ? null : canvas));
}

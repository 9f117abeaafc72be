import type { Env } from "../env.ts";

const TOPIC = "access";

/** Where who may be on a canvas, or what they may do there, may have changed: on one canvas, or on all, for these people first. */
export type Concerned = { canvas: string } | { people: string[] };

/**
 * Tells every node of a change of access. A change that was made stays made when nobody can be told: open connections are
 * looked at from time to time anyway.
 */
export async function announceAccess(concerned: Concerned, { bus, log }: Env): Promise<void> {
  await bus
    .publish(TOPIC, JSON.stringify(concerned))
    .catch((error) => log.error({ err: error }, "a change of access could not be told"));
}

/** Listens to that; answers a function that stops. */
export function onAccessChange(
  listener: (concerned: Concerned) => void,
  { bus }: Env,
): Promise<() => Promise<void>> {
  return bus.subscribe(TOPIC, (message) => listener(JSON.parse(message)));
}

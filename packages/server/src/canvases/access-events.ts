import type { Env } from "../env.ts";

const TOPIC = "access";

/**
 * Says whose access has changed. `canvas` is the id of the only canvas concerned. `people` are ids of users whose access to any canvas may
 * have changed: their open connections are rechecked first, then those of all other users.
 */
export type AccessChange = { canvas: string } | { people: string[] };

/**
 * Publishes on the bus that the access to canvases has changed, so that every node rechecks its open connections. A failure is only logged,
 * because the nodes also recheck their connections periodically.
 */
export async function announceAccess(concerned: AccessChange, { bus, log }: Env): Promise<void> {
  await bus
    .publish(TOPIC, JSON.stringify(concerned))
    .catch((error) => log.error({ err: error }, "publishing a change of access failed"));
}

/** Calls `listener` for every change of access that a node publishes on the bus. Resolves with a function that ends this. */
export function onAccessChange(
  listener: (concerned: AccessChange) => void,
  { bus }: Env,
): Promise<() => Promise<void>> {
  return bus.subscribe(TOPIC, (message) => listener(JSON.parse(message)));
}

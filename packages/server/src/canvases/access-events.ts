import type { Env } from "../env.ts";

const TOPIC = "access";

/** A change of access to one canvas, or to all canvases. With `people`, connections of these users are rechecked first. */
export type AccessChange = { canvas: string } | { people: string[] };

/**
 * Publishes a change of access to every node. A failure is only logged: the change itself is stored, and open connections are rechecked
 * periodically.
 */
export async function announceAccess(concerned: AccessChange, { bus, log }: Env): Promise<void> {
  await bus
    .publish(TOPIC, JSON.stringify(concerned))
    .catch((error) => log.error({ err: error }, "publishing a change of access failed"));
}

/** Subscribes to changes of access. Resolves with a function that unsubscribes. */
export function onAccessChange(
  listener: (concerned: AccessChange) => void,
  { bus }: Env,
): Promise<() => Promise<void>> {
  return bus.subscribe(TOPIC, (message) => listener(JSON.parse(message)));
}

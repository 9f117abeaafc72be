import type { Env } from "../env.ts";

const TOPIC = "access";

/** The scope of a change of access: one canvas, or every canvas with these users first. */
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

/** Subscribes to changes of access; resolves with a function that unsubscribes. */
export function onAccessChange(
  listener: (concerned: AccessChange) => void,
  { bus }: Env,
): Promise<() => Promise<void>> {
  return bus.subscribe(TOPIC, (message) => listener(JSON.parse(message)));
}

import type { RealtimePlaces } from "@easel/protocol/management";
import type { PlaceLimits } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { namesOf } from "./store.ts";

const TOPIC = "access";

/**
 * Says whose access has changed. `canvas` is the id of the only canvas concerned. `people` are ids of users whose access to any canvas may
 * have changed: their open connections are rechecked first, then those of all other users.
 */
export type AccessChange = { canvas: string } | { people: string[] };

/**
 * Publishes on the bus that the access to canvases has changed, so that every node rechecks its open connections. A failure is only logged:
 * the bus tells all nodes that they have missed a message as soon as it can, and they also recheck their connections periodically.
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

/** Returns the name of the place on the bus that each realtime connection to a canvas holds. Its owner is the id of the user. */
export const realtimePlace = (canvasId: string): string => `realtime ${canvasId}`;

/** Returns how many realtime connections a canvas may have, and how many of them one person. */
export const realtimeLimits = ({ realtimePerCanvas, realtimePerPerson }: Env["config"]): PlaceLimits => ({
  all: realtimePerCanvas,
  each: realtimePerPerson ?? Number.POSITIVE_INFINITY,
});

/** Returns who has the realtime connections to a canvas on all nodes, those with the most connections first. */
export async function realtimePlaces(canvasId: string, { bus, config, db }: Env): Promise<RealtimePlaces> {
  const holders = await bus.holders(realtimePlace(canvasId));
  const names = await namesOf(
    holders.map(({ owner }) => owner),
    canvasId,
    db,
  );
  return {
    connections: holders.reduce((sum, each) => sum + each.holders, 0),
    limit: config.realtimePerCanvas,
    limitPerPerson: config.realtimePerPerson,
    people: holders.map(({ owner, holders: connections }) => ({
      id: owner,
      name: names.get(owner) ?? owner,
      connections,
    })),
  };
}

import type { RealtimePlaces } from "@easel/protocol/management";
import type { PlaceLimits } from "../drivers/bus/bus.ts";
import type { Env } from "../env.ts";
import { namesOf } from "./names.ts";

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

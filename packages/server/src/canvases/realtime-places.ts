import type { RealtimePlaces } from "@easel/protocol/management";
import type { PlaceLimits } from "../drivers/bus/bus.ts";
import { asKeys } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";

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
  const ids = asKeys(holders.map(({ owner }) => owner));
  // The id of a guest is `guest:` and the id of the invitation.
  const rows = await db.all<{ id: string; name: string }>`
    select id, name from users where id in (select key from json_each(${ids}))
    union all select 'guest:' || id, name from invites where 'guest:' || id in (select key from json_each(${ids}))
      and canvas_id = ${canvasId}`;
  const names = new Map(rows.map(({ id, name }) => [id, name]));
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

import { type CanvasData, cleanUpsOf } from "../../src/canvases/canvas-data.ts";
import { readConfig } from "../../src/config/config.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";

/** Removes what a part of the service has declared, without the rest of a sweep. */
export async function cleanUp(
  { cleanUps = [] }: CanvasData,
  { db, clock = Date.now }: { db: Db; clock?: () => number },
): Promise<void> {
  for (const { keptMs, remove } of cleanUpsOf([{ cleanUps }], readConfig({})))
    await remove(clock() - keptMs, { db, clock } as unknown as Env);
}

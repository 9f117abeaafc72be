import type { Logger } from "pino";
import type { CanvasData } from "../canvases/canvas-data.ts";
import type { Blobs } from "../drivers/blobs/blobs.ts";
import type { Db } from "../drivers/db/db.ts";

/** Whether unused blobs may be removed: one row. */
export const sweepGuardData: CanvasData = { otherTables: ["sweep_guard"] };

/** The marker of the blobs that follows the ticks of the database. */
const MARKER = "ticks";

/** For how long no unused blob is removed after the database was restored from a copy, in milliseconds. */
export const HOLD_MS = 7 * 24 * 60 * 60 * 1000;

interface Guarded {
  db: Db;
  blobs: Blobs;
  clock: () => number;
  log: Pick<Logger, "warn">;
}

/**
 * Counts one tick, in the database and then beside the blobs, whose marker is therefore never ahead of its own database. If it is, the database
 * was restored from an older copy, so that blobs of the time between look unused: none is removed for seven days (decision 127).
 */
export async function tick({ db, blobs, clock, log }: Guarded): Promise<void> {
  // The marker is read first, because another node may count meanwhile.
  const marked = Number((await blobs.marker(MARKER)) ?? 0);
  const known = await db.get<{ ticks: number }>`select ticks from sweep_guard`;
  const isRestored = marked > Number(known?.ticks ?? 0);
  const until = isRestored ? clock() + HOLD_MS : 0;
  const [row] = await db.withReserve.returning<{ ticks: number; until: number }>`
    insert into sweep_guard (singleton, ticks, held_until) values (1, ${marked + 1}, ${until})
    on conflict (singleton) do update set
      ticks = greatest(sweep_guard.ticks, ${marked}) + 1, held_until = greatest(sweep_guard.held_until, excluded.held_until)
    returning ticks, held_until as until`;
  await blobs.remark(MARKER, String(row?.ticks));
  if (isRestored)
    log.warn(
      { until: new Date(until).toISOString() },
      "the database was restored from a copy that is older than the blobs, so unused blobs are kept for now: `easel-server sweep --now` ends that",
    );
}

/** Returns until when unused blobs are kept, in epoch milliseconds; null if they may be removed. */
export async function heldUntil({ db, clock }: { db: Db; clock(): number }): Promise<number | null> {
  const row = await db.get<{ until: number }>`select held_until as until from sweep_guard`;
  const until = Number(row?.until ?? 0);
  return until > clock() ? until : null;
}

/** Lets unused blobs be removed again. */
export async function endHold(db: Db): Promise<void> {
  await db.withReserve.run`update sweep_guard set held_until = 0`;
}

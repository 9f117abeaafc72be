import { stat, statfs } from "node:fs/promises";
import manifest from "../../package.json" with { type: "json" };
import { isPostgres } from "../config/config.ts";
import { directoriesOf } from "../disk/disk-watch.ts";
import type { Env } from "../env.ts";

/** The time for which reading the metrics waits for a disk or the database, in milliseconds. What comes later is seen by the next one. */
const PATIENCE_MS = 500;

/** Sets the metrics that are not counted as things happen, but read when somebody asks. What cannot be read keeps its last value. */
export async function collectMetrics(env: Env): Promise<void> {
  env.metrics.realtimeConnections.set(env.open.realtimeConnections);
  env.metrics.buildInfo.set(1, manifest.version, process.version);
  const read = [freeSpace(env), walBytes(env), storedTimes(env)].map((each) => each.catch(() => {}));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([Promise.all(read), late]);
  clearTimeout(timer);
}

const pathOf = (address: string) => address.slice(address.indexOf(":") + 1);

async function freeSpace({ config, metrics }: Env): Promise<void> {
  await Promise.all(
    [...directoriesOf(config)].map(async ([disk, directory]) => {
      const { bavail, bsize } = await statfs(directory);
      metrics.diskFree.set(bavail * bsize, disk);
    }),
  );
}

async function walBytes({ config, metrics }: Env): Promise<void> {
  if (isPostgres(config.databaseUrl)) return;
  const found = await stat(`${pathOf(config.databaseUrl)}-wal`).catch(() => ({ size: 0 }));
  metrics.walBytes.set(found.size);
}

/** Reads when work of the instance was last finished, by whichever process. */
async function storedTimes({ db, metrics }: Env): Promise<void> {
  const [row] = await db.all<{ swept: number | null; backup: number | null }>`
    select (select finished_at from jobs where name = 'sweep') as swept,
      (select finished_at from last_backup) as backup`;
  if (row?.swept != null) metrics.lastSweep.set(Number(row.swept) / 1000);
  if (row?.backup != null) metrics.lastBackup.set(Number(row.backup) / 1000);
}

import { removeOlder } from "../disk/old-files.ts";
import { makeOwnDirectory } from "../disk/private-files.ts";
import type { Env } from "../env.ts";
import { uploadsOf } from "./publishing/upload.ts";
import { purgeCanvases } from "./purge.ts";
import { sweepVersions } from "./version-files.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Removes blobs that no row points at and that are older than an hour; answers how many. */
export async function sweepBlobs({ blobs, db, clock }: Env): Promise<number> {
  let removed = 0;
  const before = clock() - HOUR_MS;
  for await (const blob of blobs.list(before)) {
    const used = await db.get`select 1 as used from version_files where blob_key = ${blob.key} limit 1`;
    if (used !== undefined) continue;
    await blobs.remove([blob]);
    removed++;
  }
  return removed;
}

/** Removes uploads and staged blobs that a killed process left behind more than an hour ago. */
async function sweepStaging(env: Env): Promise<void> {
  const before = env.clock() - HOUR_MS;
  await makeOwnDirectory(uploadsOf(env), /./);
  await Promise.all([removeOlder(uploadsOf(env), before), env.blobs.tidy(before)]);
}

/** Sweeps now and every hour; answers a function that stops, after a sweep under way. */
export function keepSwept(env: Env): () => Promise<void> {
  let sweeping = Promise.resolve();
  const sweep = () => {
    sweeping = Promise.all([
      sweepBlobs(env),
      sweepStaging(env),
      purgeCanvases(env),
      sweepVersions(env.clock() - HOUR_MS, env),
      env.db.run`delete from sessions where expires_at <= ${env.clock()}`,
      env.db.run`delete from handovers where expires_at <= ${env.clock()}`,
    ]).then(
      () => {},
      (error) => env.log.error({ err: error }, "sweeping failed"),
    );
  };
  sweep();
  const timer = setInterval(sweep, HOUR_MS).unref();
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
}

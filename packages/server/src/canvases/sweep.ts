import { makePrivateDirectory, removeOlder } from "../disk/private-files.ts";
import { BlobReferences } from "../drivers/blob-references.ts";
import type { Env } from "../env.ts";
import { blobColumnsOf } from "./canvas-data.ts";
import { purgeCanvases } from "./deletion.ts";
import { resumeCompressions } from "./publishing/compressions.ts";
import { uploadsOf } from "./publishing/upload.ts";
import { sweepStaged } from "./staged-deploys.ts";
import { sweepUnused, UNUSED_MS } from "./unused-blobs.ts";
import { sweepVersions } from "./version-files.ts";

const HOUR_MS = 60 * 60 * 1000;

/**
 * Removes the blobs of canvases that have been without uses for an hour, and the blobs that are older than an hour and to which no row of
 * the database refers. Returns the number of the latter.
 */
export async function sweepBlobs(env: Env): Promise<number> {
  await sweepUnused(env);
  const { db, blobs, canvasData, clock } = env;
  const references = new BlobReferences(db, blobColumnsOf(canvasData));
  let removed = 0;
  const before = clock() - UNUSED_MS;
  for await (const blob of blobs.list(before)) {
    if (await references.to(blob.key)) continue;
    await blobs.remove([blob]);
    removed++;
  }
  return removed;
}

/**
 * Removes temporary files of uploads and of blobs if they were last written more than an hour ago. Killed processes leave such files. Also
 * finishes the removal of blobs that a killed process has begun to remove.
 */
async function sweepStaging(env: Env): Promise<void> {
  const before = env.clock() - HOUR_MS;
  await makePrivateDirectory(uploadsOf(env), /./);
  await Promise.all([removeOlder(uploadsOf(env), before), env.blobs.tidy(before)]);
}

/**
 * Removes expired and unused data, such as old sessions and blobs, now and every hour. Returns a function that stops this and waits for the
 * removals that are running.
 */
export function startSweeping(env: Env): () => Promise<void> {
  let sweeping = Promise.resolve();
  const db = env.db.withReserve;
  const sweep = () => {
    const parts = [
      resumeCompressions(env),
      sweepBlobs(env),
      sweepStaging(env),
      purgeCanvases(env),
      sweepVersions(env.clock() - HOUR_MS, env),
      sweepStaged(env),
      ...env.canvasData.map((data) => data.sweep?.(db)),
      db.run`delete from sessions where expires_at <= ${env.clock()}`,
      db.run`delete from handovers where expires_at <= ${env.clock()}`,
      // Expired codes are kept for an hour, because the second use of a code revokes the token that the first use gave.
      db.run`delete from oauth_codes where expires_at <= ${env.clock() - HOUR_MS}`,
    ].map((part) => Promise.resolve(part).catch((err) => env.log.error({ err }, "sweeping failed")));
    sweeping = Promise.all([sweeping, ...parts]).then(() => {});
  };
  sweep();
  const timer = setInterval(sweep, HOUR_MS).unref();
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
}

import { makePrivateDirectory, removeOlder } from "../disk/private-files.ts";
import { BlobReferences } from "../drivers/blob-references.ts";
import type { Env } from "../env.ts";
import { alone } from "../instance/jobs.ts";
import { heldUntil, tick } from "../instance/sweep-guard.ts";
import { blobColumnsOf, cleanUpsOf, type Removing } from "./canvas-data.ts";
import { resumeCompressions } from "./publishing/compressions.ts";
import { uploadsOf } from "./publishing/upload.ts";
import { BLOBS_AT_ONCE, sweepUnused, UNUSED_MS } from "./unused-blobs.ts";

const HOUR_MS = 60 * 60 * 1000;

/** The time between two ticks, in milliseconds. A copy of the database is recognised if it is older. */
const TICK_MS = 10 * 60 * 1000;

/**
 * Removes the blobs of canvases that have been without uses for an hour, and the blobs that are older than an hour and to which neither a
 * row of the database nor a claim refers. Returns the number of the latter. Removes nothing for a while after a restore.
 */
export async function sweepBlobs(env: Removing): Promise<number> {
  const { db, blobs, canvasData, clock } = env;
  const before = clock() - UNUSED_MS;
  await sweepUnused(env);
  if ((await heldUntil(env)) !== null) return 0;
  const references = new BlobReferences(db, blobColumnsOf(canvasData));
  let removed = 0;
  const removeUnused = async (keys: string[]) => {
    const used = await references.among(keys);
    const unused = keys.filter((key) => !used.has(key));
    if (unused.length > 0) removed += await blobs.remove(unused, (moved) => references.among(moved));
  };
  let listed: string[] = [];
  for await (const key of blobs.list(before)) {
    if (listed.push(key) < BLOBS_AT_ONCE) continue;
    await removeUnused(listed);
    listed = [];
  }
  if (listed.length > 0) await removeUnused(listed);
  return removed;
}

/** Removes temporary files of uploads if they were last written more than an hour ago. Killed processes leave such files. */
async function sweepUploads(env: Env): Promise<void> {
  await makePrivateDirectory(uploadsOf(env), /./);
  await removeOlder(uploadsOf(env), env.clock() - HOUR_MS);
}

/**
 * Removes what the parts of the service have declared, and blobs to which nothing refers. Also removes temporary files of blobs, and finishes
 * the removal of blobs that a killed process has begun. If one step fails, logs this and goes on. Throws before the next step if `signal`
 * aborts.
 */
export async function sweep(env: Env, signal?: AbortSignal): Promise<void> {
  const { canvasData, clock, config, log } = env;
  const declared = cleanUpsOf(canvasData, config).map(
    ({ what, keptMs, remove }) => [what, () => remove(clock() - keptMs, env)] as const,
  );
  const steps = [
    ...declared,
    ["blobs", async () => env.metrics.blobsSwept.add(await sweepBlobs(env))] as const,
    ["temporary files of blobs", () => env.blobs.tidy(clock() - HOUR_MS)] as const,
  ];
  for (const [what, remove] of steps) {
    signal?.throwIfAborted();
    try {
      await remove();
    } catch (err) {
      log.error({ err }, `sweeping failed: ${what}`);
    }
  }
}

/**
 * Sweeps now and every hour: the files of this process, and what belongs to the instance if no other process does it at that time or has done
 * it lately. Returns a function that stops this and waits for the step that is running.
 */
export function startSweeping(env: Env): () => Promise<void> {
  const stop = new AbortController();
  let sweeping = Promise.resolve();
  const begin = (every: number) => {
    const parts = [
      resumeCompressions(env),
      sweepUploads(env),
      // Without a tick, a process does not know whether its blobs are newer than its database.
      tick(env)
        .then(() =>
          alone("sweep", (lost) => sweep(env, AbortSignal.any([lost, stop.signal])), env, {
            every,
            stop: stop.signal,
          }),
        )
        .catch((error) => {
          if (!stop.signal.aborted) throw error;
        }),
    ].map((part) => part.catch((err) => env.log.error({ err }, "sweeping failed")));
    sweeping = Promise.all([sweeping, ...parts]).then(() => {});
  };
  begin(0);
  const timer = setInterval(() => begin(HOUR_MS / 2), HOUR_MS).unref();
  const ticks = setInterval(() => {
    const ticked = tick(env).catch((err) => env.log.error({ err }, "the tick beside the blobs failed"));
    sweeping = Promise.all([sweeping, ticked]).then(() => {});
  }, TICK_MS).unref();
  return async () => {
    clearInterval(timer);
    clearInterval(ticks);
    stop.abort();
    await sweeping;
  };
}

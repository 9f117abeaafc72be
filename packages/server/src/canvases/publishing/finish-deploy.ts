import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { finishAsCurrent, otherReleaseSteps } from "../releases.ts";
import {
  clearFinished,
  type FinishedDeploy,
  findStaged,
  finishStep,
  missingOf,
  type StagedDeploy,
  type StagedDeployKey,
} from "../staged-deploys.ts";
import type { BundleFile } from "./bundle.ts";
import { contentWarnings, publishStored, storeVersion, tidyUp } from "./deploy.ts";
import { expectedStep, requireExpected } from "./expected-version.ts";

const requireStaged = async ({ id, canvasId, userId }: StagedDeployKey, env: Env) =>
  (isId(id) ? await findStaged(id, canvasId, userId, env) : undefined) ?? refuse("NOT_FOUND");

/** Throws 409 `BLOBS_MISSING` if blobs of a staged deploy have not been uploaded. The error lists their hashes. */
async function requireComplete(id: string, env: Env): Promise<void> {
  const missing = await missingOf(id, env);
  if (missing.length > 0) refuse("BLOBS_MISSING", { missing });
}

/**
 * Returns the files of a staged deploy as files of a bundle. The bytes of these files are in blobs already, so their `open` is called only
 * if the canvas has lost a blob since the upload. Then `open` throws 409 `BLOBS_MISSING`.
 */
const filesOf = ({ files }: StagedDeploy): BundleFile[] =>
  files.map((file) => ({ ...file, open: async () => refuse("BLOBS_MISSING", { missing: [file.key] }) }));

async function publishStaged(deploy: StagedDeploy, signal: AbortSignal, env: Env): Promise<FinishedDeploy> {
  const { id, canvasId, userId, expectedVersion, message, releaseId } = deploy;
  const warnings = await warningsOf(deploy, env);
  const version = await storeVersion(canvasId, userId, filesOf(deploy), env, { message, releaseId, signal });
  const finished = { version: version.id, warnings, unchanged: false };
  const conditions = [finishStep(id, finished)];
  if (releaseId !== null) conditions.unshift(...otherReleaseSteps(canvasId, releaseId));
  if (expectedVersion !== undefined) conditions.unshift(expectedStep(canvasId, expectedVersion));
  await publishStored(version, env, conditions);
  return finished;
}

/** Returns the warnings about the content of a staged deploy whose bytes have all been uploaded. */
const warningsOf = ({ files }: StagedDeploy, env: Env): Promise<string[]> =>
  contentWarnings(
    files.map((file) => ({
      ...file,
      open: async () => (await env.blobs.get(file.key)) ?? refuse("NOT_FOUND"),
    })),
    env,
  );

/**
 * Publishes a staged deploy. Returns the id of the published version, and warnings for people. A repeated or concurrent call publishes
 * nothing and returns the same. If the published version has the release of the deploy, publishes nothing and returns that version. Throws
 * 404 `NOT_FOUND` if the deploy has expired, 409 `BLOBS_MISSING` if a blob has not been uploaded, and 409 `VERSION_CONFLICT` if the
 * published version is not the one that the client expects. If `signal` aborts before the version is published, stops and throws its reason.
 */
export const finishDeploy = (
  place: StagedDeployKey,
  env: Env,
  signal?: AbortSignal,
): Promise<FinishedDeploy> =>
  env.deploys.run(
    place.userId,
    async (signal) => {
      const deploy = await requireStaged(place, env);
      return deploy.finished ?? (await publishOnce(place, deploy, signal, env));
    },
    signal,
  );

/** Finishes a deploy whose release is published already. Returns undefined if another one is. */
async function keepCurrent(deploy: StagedDeploy, env: Env): Promise<FinishedDeploy | undefined> {
  const finished = await finishAsCurrent(deploy, env);
  if (finished !== undefined) await tidyUp(clearFinished(deploy, finished, env), env);
  return finished;
}

async function publishOnce(
  place: StagedDeployKey,
  deploy: StagedDeploy,
  signal: AbortSignal,
  env: Env,
): Promise<FinishedDeploy> {
  const current = await keepCurrent(deploy, env);
  if (current !== undefined) return current;
  await requireComplete(deploy.id, env);
  await requireExpected(deploy.canvasId, deploy.expectedVersion, env);
  try {
    const finished = await publishStaged(deploy, signal, env);
    await tidyUp(clearFinished(deploy, finished, env), env);
    return finished;
  } catch (error) {
    // A concurrent request may have finished the same deploy, or another deploy may have been published meanwhile.
    const { finished } = await requireStaged(place, env);
    const kept = finished ?? (await keepCurrent(deploy, env));
    if (kept !== undefined) return kept;
    await requireExpected(deploy.canvasId, deploy.expectedVersion, env);
    throw error;
  }
}

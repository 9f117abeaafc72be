import { ERRORS } from "@easel/protocol/errors";
import { publishStored, storeBundle } from "../../canvases/publishing/deploy.ts";
import { discardVersion } from "../../canvases/version-files.ts";
import { sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";

/** A bundle in `file` to deploy for the user `by`. `revokedAt` is that of the canvas before. */
interface Deploy {
  canvasId: string;
  by: string;
  file: string;
  revokedAt: number | null;
}

/** The code of a failed deploy, and the fields of its refusal. */
export interface Failure {
  code: "PUBLISH_FAILED" | "UPDATE_PARTIAL";
  fields(): Promise<object>;
}

/** Throws 502 for an error of a deploy. The message contains the reason of a refusal; any other error is logged. */
async function fail(error: unknown, { code, fields }: Failure, { log }: Env): Promise<never> {
  const { message } = ERRORS[code];
  const given = await fields();
  if (error instanceof Refusal) return refuse(code, { ...given, message: `${message} ${error.message}` });
  log.error({ err: error }, "a deploy from a page failed");
  return refuse(code, { ...given });
}

/** Builds the step that rolls back its batch if the canvas has been revoked since `revokedAt` was read. */
const notRevoked = ({ canvasId, revokedAt }: Deploy) => sql`
  update canvases set title = title where id = ${canvasId} and (revoked_at is null or revoked_at = ${revokedAt})`;

/** Throws 409 `SHARE_REVOKED` if a canvas has been revoked since `revokedAt` was read. */
async function requireNotRevoked({ canvasId, revokedAt }: Deploy, { db }: Env): Promise<void> {
  const row = await db.get<{ revoked_at: number | null }>`
    select revoked_at from canvases where id = ${canvasId}`;
  const now = row?.revoked_at ?? null;
  if (now !== null && now !== revokedAt)
    refuse("SHARE_REVOKED", { message: "The share was revoked meanwhile." });
}

/**
 * Deploys a bundle and publishes it. Storing it can take long, so `recheck` is awaited before it is published, and a share that was revoked
 * meanwhile stays so; the deploy has no effect then. Returns the id of the version.
 */
export async function deployShare(
  given: Deploy,
  recheck: () => Promise<unknown>,
  failure: Failure,
  env: Env,
): Promise<string> {
  const failed = (error: unknown) => fail(error, failure, env);
  const { version } = await storeBundle(given.canvasId, given.by, given.file, env).catch(failed);
  try {
    await recheck();
  } catch (error) {
    await discardVersion(version, env);
    throw error;
  }
  await publishStored(version, env, [notRevoked(given)]).catch(async (error) => {
    await requireNotRevoked(given, env).catch(failed);
    return failed(error);
  });
  return version.id;
}

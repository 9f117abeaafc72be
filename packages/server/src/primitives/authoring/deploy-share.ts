import { ERRORS } from "@easel/protocol/errors";
import { publishStored, storeBundle } from "../../canvases/publishing/deploy.ts";
import { discardVersion } from "../../canvases/version-files.ts";
import { sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";

/**
 * A deploy: `file` is the path of the bundle, and `by` is the id of the user who deploys it. `revokedAt` is when the canvas was revoked
 * before the deploy (epoch milliseconds), or null.
 */
interface Deploy {
  canvasId: string;
  by: string;
  file: string;
  revokedAt: number | null;
  /** Stops the deploy before it is published. */
  signal: AbortSignal;
}

/** The response to a failed deploy: its error code, and a function that returns its further fields. */
export interface Failure {
  code: "PUBLISH_FAILED" | "UPDATE_PARTIAL";
  fields(): Promise<object>;
}

/**
 * Throws 502 in place of the error of a failed deploy. If the error is a `Refusal`, the new message includes its message; any other error
 * is logged.
 */
async function fail(error: unknown, { code, fields }: Failure, { log }: Env): Promise<never> {
  const { message } = ERRORS[code];
  const given = await fields();
  if (error instanceof Refusal) return refuse(code, { ...given, message: `${message} ${error.message}` });
  log.error({ err: error }, "a deploy from a page failed");
  return refuse(code, { ...given });
}

/** Builds the SQL step that rolls back its batch if the canvas has been revoked since `revokedAt` was read. */
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
 * Stores a bundle as a version of a canvas, calls `recheck`, publishes the version and returns its id. `recheck` throws if the caller may
 * no longer deploy. If it throws, or the canvas was revoked meanwhile, discards the version and throws.
 */
export async function deployShare(
  given: Deploy,
  recheck: () => Promise<unknown>,
  failure: Failure,
  env: Env,
): Promise<string> {
  const { canvasId, by, file, signal } = given;
  const failed = (error: unknown) => fail(error, failure, env);
  const { version } = await storeBundle(canvasId, by, file, env, signal).catch(failed);
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

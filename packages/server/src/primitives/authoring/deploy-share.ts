import { ERRORS } from "@easel/protocol/errors";
import { publishStored, storeBundle } from "../../canvases/publishing/deploy.ts";
import { discardVersion } from "../../canvases/version-files.ts";
import type { Env } from "../../env.ts";
import { Refusal, refuse } from "../../http/refusal.ts";

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

/**
 * Deploys the bundle in `file` and publishes it. Storing it can take long, so `recheck` is awaited before it is published; the deploy has no
 * effect if that throws. Returns the id of the version.
 */
export async function deployShare(
  { canvasId, by, file }: { canvasId: string; by: string; file: string },
  recheck: () => Promise<unknown>,
  failure: Failure,
  env: Env,
): Promise<string> {
  const failed = (error: unknown) => fail(error, failure, env);
  const { version } = await storeBundle(canvasId, by, file, env).catch(failed);
  try {
    await recheck();
  } catch (error) {
    await discardVersion(version, env);
    throw error;
  }
  await publishStored(version, env).catch(failed);
  return version.id;
}

import type { FinishedDeploy, StagedDeployCreated } from "@easel/protocol/types";
import { refuse } from "../../http/refusal.ts";
import { actNamed } from "../../management/acts.ts";
import { bodyOfBytes } from "../../operations/local-body.ts";
import { type Acting, perform, performWithBytes } from "../tool-call.ts";
import type { ChangedFiles } from "./file-changes.ts";

const stageAct = actNamed<StagedDeployCreated>("canvas.stage");
const fileAct = actNamed<undefined>("canvas.stage-file");
const cancelAct = actNamed<undefined>("canvas.stage-cancel");
const finishAct = actNamed<FinishedDeploy>("canvas.stage-finish");

/** How a version is stored. */
export interface StoreOptions {
  /** The id of the version that must be the published one; null if there must be none. */
  expectedVersion: string | null;
  /** Whether the version is published, and not only stored. */
  publish: boolean;
}

/** A stored version, with the files that were left out and with warnings about it. */
export type StoredVersion = Pick<StagedDeployCreated, "leftOut" | "warnings"> & { deployed: FinishedDeploy };

/**
 * Stores files as a version of a canvas by a staged deploy, for which only the bytes that the canvas does not have are passed on.
 * `beforeFinish` runs once all of them are there. A deploy that fails is ended.
 */
export async function storeVersion(
  call: Acting,
  id: string,
  { files, contents }: Pick<ChangedFiles, "files" | "contents">,
  { publish, ...options }: StoreOptions,
  beforeFinish: () => Promise<void>,
): Promise<StoredVersion> {
  const staged = await perform(call, stageAct, { params: { id }, body: { files, ...options } });
  const params = { id, deploy: staged.id };
  try {
    for (const sha256 of staged.missing) {
      const bytes = contents.get(sha256);
      if (bytes === undefined) {
        // The version that the changes began with has been removed meanwhile.
        return refuse("UNAVAILABLE", { message: "A file was removed meanwhile. Try again." });
      }
      const body = bodyOfBytes(bytes, "application/octet-stream");
      await performWithBytes(call, fileAct, { ...params, sha256 }, body);
    }
    await beforeFinish();
    const deployed = await perform(call, finishAct, { params, body: { publish } });
    return { deployed, leftOut: staged.leftOut, warnings: [...staged.warnings, ...deployed.warnings] };
  } catch (error) {
    await perform(call, cancelAct, { params }).catch(() => {}); // It has been finished, or expires after an hour.
    throw error;
  }
}

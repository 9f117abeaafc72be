import { isId } from "../../crypto/ids.ts";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { expireStaged, removeStaged, type StagedDeployKey } from "../staged-deploys.ts";
import { tidyUp } from "./deploy.ts";

/**
 * Removes a staged deploy that has not been published, and releases the blobs that were uploaded for it. Throws 404 `NOT_FOUND` if the deploy
 * has expired or been published.
 */
export async function cancelDeploy(place: StagedDeployKey, env: Env): Promise<void> {
  if (!isId(place.id) || !(await expireStaged(place, env))) refuse("NOT_FOUND");
  await tidyUp(removeStaged(place, env), env);
}

import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import type { Canvas } from "./access-lookup.ts";
import { inPhases } from "./phases.ts";

const NONE: RuntimePolicy = {};

const keyOf = (revision: string, phases: string | null) =>
  phases === null ? revision : `${revision} ${phases}`;

/**
 * Returns the policy document of a canvas, in the revision `policyRevision` or a newer one, with the rights of the current phases. Returns
 * an empty document if the canvas has none. Throws 404 `NOT_FOUND` if the canvas has been removed for good.
 */
export async function policyOf(
  { id, policyRevision, phases }: Pick<Canvas, "id" | "policyRevision" | "phases">,
  { db, policies }: Env,
): Promise<RuntimePolicy> {
  if (policyRevision === null) return NONE;
  const known = policies.get(keyOf(policyRevision, phases));
  if (known !== undefined) return known;
  const row = await db.get<{ runtime_policy: string | null; runtime_policy_revision: string }>`
    select runtime_policy, runtime_policy_revision from canvases where id = ${id}`;
  if (row === undefined) return refuse("NOT_FOUND");
  const document = row.runtime_policy ?? "{}";
  const text = phases === null ? document : JSON.stringify(inPhases(JSON.parse(document), phases));
  return policies.keep(keyOf(row.runtime_policy_revision, phases), text);
}

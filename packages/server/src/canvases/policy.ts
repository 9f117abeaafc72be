import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import type { Canvas } from "./access-lookup.ts";

const NONE: RuntimePolicy = {};

/**
 * Returns the policy document of a canvas, in the revision `policyRevision` or a newer one. Returns an empty document if the canvas has
 * none. Throws 404 `NOT_FOUND` if the canvas has been removed for good.
 */
export async function policyOf(
  { id, policyRevision }: Pick<Canvas, "id" | "policyRevision">,
  { db, policies }: Env,
): Promise<RuntimePolicy> {
  if (policyRevision === null) return NONE;
  const known = policies.get(policyRevision);
  if (known !== undefined) return known;
  const row = await db.get<{ runtime_policy: string | null; runtime_policy_revision: string }>`
    select runtime_policy, runtime_policy_revision from canvases where id = ${id}`;
  if (row === undefined) return refuse("NOT_FOUND");
  return policies.keep(row.runtime_policy_revision, row.runtime_policy ?? "{}");
}

/**
 * Returns the entry `name` of `table`, for example of the collections in a policy document. Returns undefined if there is no such entry.
 */
export const entryOf = <Entry>(table: Record<string, Entry> | undefined, name: string): Entry | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

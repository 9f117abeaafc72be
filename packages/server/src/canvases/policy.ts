import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Env } from "../env.ts";
import type { Canvas } from "./entry.ts";

const NONE: RuntimePolicy = {};

/** The policy document of a canvas; an empty one where it has none. */
export async function policyOf(
  { id, policyRevision }: Pick<Canvas, "id" | "policyRevision">,
  { db, policies }: Env,
): Promise<RuntimePolicy> {
  if (policyRevision === null) return NONE;
  return policies.of(policyRevision, async () => {
    const row = await db.get<{ runtime_policy: string | null }>`
      select runtime_policy from canvases where id = ${id} and runtime_policy_revision = ${policyRevision}`;
    // Replaced a moment ago: what that revision said is not known any more, so it gives nothing.
    return row?.runtime_policy ?? "{}";
  });
}

/** What a table of a policy says of a name; undefined where it says nothing. */
export const entryOf = <Entry>(table: Record<string, Entry> | undefined, name: string): Entry | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

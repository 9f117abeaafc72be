import assert from "node:assert/strict";
import type { CollectionPolicy, RuntimePolicy } from "@easel/protocol/policy";
import { manage, type Stage, stage } from "./fixture.ts";
import type { Target } from "./target.ts";

/** Replaces the policy document of a canvas, as its owner. Null removes it. */
export async function govern(
  target: Target,
  { id, people }: Stage,
  runtimePolicy: RuntimePolicy | null,
): Promise<void> {
  const { json } = await manage(target, people.owner, "GET", `/api/canvases/${id}`);
  const body = { expectedRuntimePolicy: json.runtimePolicyRevision, runtimePolicy };
  const answer = await manage(target, people.owner, "PATCH", `/api/canvases/${id}/capabilities`, body);
  assert.equal(answer.status, 200, `PATCH capabilities: ${answer.text}`);
}

/** Creates a canvas with these collections. It is shared with the whole organisation, so that the stranger is a viewer. */
export async function collecting(
  target: Target,
  collections: Record<string, CollectionPolicy>,
  people?: Stage["people"],
): Promise<Stage> {
  const canvas = await stage(target, { access: "whole_org", ...(people ? { people } : {}) });
  await govern(target, canvas, { collections });
  return canvas;
}

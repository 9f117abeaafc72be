import assert from "node:assert/strict";
import { freshSlug, manage } from "@easel/conformance/fixture";
import type { Person, Target } from "@easel/conformance/target";
import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Json } from "@easel/protocol/types";
import type { Page } from "playwright-core";

/** A canvas with data, and its people. */
export interface DataCanvas {
  id: string;
  /** Calls the runtime API as a person, and resolves with the JSON of the response. */
  call(person: Person, method: string, path: string, body?: Json): Promise<Record<string, Json>>;
  /** Replaces the policy. */
  setPolicy(policy: RuntimePolicy): Promise<void>;
  /** Changes switches of the backend. */
  turn(switches: Record<string, boolean>): Promise<void>;
}

/** Makes a canvas of `owner` with a policy, shared with editors. */
export async function makeDataCanvas(
  target: Target,
  owner: Person,
  runtimePolicy: RuntimePolicy,
  editors: readonly Person[] = [],
): Promise<DataCanvas> {
  const send = async (person: Person, method: string, path: string, body?: Json) => {
    const answer = await manage(target, person, method, path, body as object);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.json as Record<string, Json>;
  };
  const { id } = await send(owner, "POST", "/api/canvases", { title: "Data", slug: freshSlug() });
  const at = `/api/canvases/${id}`;
  const setPolicy = async (policy: RuntimePolicy) => {
    const { runtimePolicyRevision } = await send(owner, "GET", at);
    await send(owner, "PATCH", `${at}/capabilities`, {
      backendEnabled: true,
      expectedRuntimePolicy: runtimePolicyRevision ?? null,
      runtimePolicy: policy as Json,
    });
  };
  await setPolicy(runtimePolicy);
  const people = editors.map(({ email }) => ({ email, role: "editor" }));
  if (people.length > 0) await send(owner, "PUT", `${at}/sharing`, { people });
  return {
    id: String(id),
    call: (person, method, path, body) => send(person, method, `${at}/runtime${path}`, body),
    setPolicy,
    async turn(switches) {
      await send(owner, "PATCH", `${at}/capabilities`, switches);
    },
  };
}

/** The row of the grid that begins with a text. */
export const rowOf = (page: Page, text: string) => page.getByRole("row", { name: text, exact: true });

/** The panel with a record. */
export const panelOf = (page: Page) => page.getByRole("complementary");

/** The message at the edge of the page that contains a text. */
export const message = (page: Page, text: string) => page.locator(".toast", { hasText: text });

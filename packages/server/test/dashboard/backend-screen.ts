import assert from "node:assert/strict";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import type { RuntimePolicy } from "@easel/protocol/policy";
import type { BrowserContextOptions, Page } from "playwright-core";
import { startDashboard } from "../support/dashboard.ts";
import type { Scope } from "../support/service.ts";

/** Starts a service and a browser for tests of the screen of the backend. */
export async function backendScreen(scope: Scope) {
  const { target, open } = await startDashboard(scope);

  /** Returns the policy of a canvas with its revision. */
  async function stored({ id, people }: Stage) {
    const { json } = await manage(target, people.owner, "GET", `/api/canvases/${id}`);
    return {
      policy: json.runtimePolicy as RuntimePolicy,
      revision: json.runtimePolicyRevision as string | null,
    };
  }
  /** Saves a policy as the owner, as another page or a tool does. */
  async function save(site: Stage, runtimePolicy: RuntimePolicy): Promise<void> {
    const { revision } = await stored(site);
    const body = { expectedRuntimePolicy: revision, runtimePolicy };
    const path = `/api/canvases/${site.id}/capabilities`;
    const answer = await manage(target, site.people.owner, "PATCH", path, body);
    assert.equal(answer.status, 200, answer.text);
  }
  return {
    target,
    stored,
    save,
    /** Makes a canvas with a policy. */
    async staged(policy?: RuntimePolicy): Promise<Stage> {
      const site = await stage(target);
      if (policy !== undefined) await save(site, policy);
      return site;
    },
    /** Opens the screen as one of the people of a canvas. */
    openAs: async (
      site: Stage,
      role: "owner" | "editor" | "viewer" = "owner",
      options: BrowserContextOptions = {},
    ): Promise<Page> => (await open(site.people[role].email, `/canvases/${site.id}/backend`, options)).page,
  };
}

/** The parts of the screen. */
export const parts = (page: Page) => ({
  document: page.getByRole("textbox", { name: "The same as a document" }),
  faults: page.getByRole("list", { name: "Faults in The same as a document" }),
  bar: page.locator(".save-bar"),
  entry: (name: string) => page.getByRole("article", { name }),
  flip: (name: string | RegExp) => page.getByRole("checkbox", { name }).press("Space"),
  async choose(select: string, option: string | RegExp) {
    await page.getByRole("button", { name: select }).click();
    await page.getByRole("option", { name: option }).click();
  },
  /** Saves the policy, and waits until that is done. */
  async save() {
    const bar = page.locator(".save-bar");
    await bar.getByRole("button", { name: "Save" }).click();
    await bar.getByText("All of it is saved.").waitFor();
  },
});

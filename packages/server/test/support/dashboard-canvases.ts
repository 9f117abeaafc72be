import assert from "node:assert/strict";
import { manage } from "@easel/conformance/fixture";
import type { Person } from "@easel/conformance/target";
import type { Page } from "playwright-core";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { upload } from "./publish.ts";
import type { Scope } from "./service.ts";
import { zip } from "./zip.ts";

const ADMIN = "root@example.com";

/** A service whose canvases belong to Ada. */
interface WithCanvases extends Dashboard {
  ada: Person;
  bo: Person;
  cy: Person;
  admin: Person;
  /** Calls the management API as a person. Asserts that it succeeds, and returns the response. */
  call(person: Person, method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Makes a canvas without a version. Returns its id. */
  draft(title: string): Promise<string>;
  /** Makes a canvas that is online, with Bo as an editor and Cy as a viewer. Returns its id. */
  shared(title: string): Promise<string>;
  /** Returns a canvas as a person sees it, by default Ada. */
  read(id: string, person?: Person): Promise<Record<string, unknown>>;
}

/** Starts a service as `startDashboard` does, with people who have signed in. */
export async function startWithCanvases(scope: Scope): Promise<WithCanvases> {
  const dashboard = await startDashboard(scope, { settings: { SERVICE_ADMIN_EMAILS: ADMIN } });
  const { target } = dashboard;
  const signIn = (name: string) => target.signIn(`${name}@example.com`);
  const [ada, bo, cy] = [await signIn("ada"), await signIn("bo"), await signIn("cy")];
  const admin = await target.signIn(ADMIN);

  const call: WithCanvases["call"] = async (person, method, path, body) => {
    const answer = await manage(target, person, method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.status === 204 ? {} : answer.json;
  };
  const draft = async (title: string): Promise<string> =>
    String((await call(ada, "POST", "/api/canvases", { title })).id);
  return {
    ...dashboard,
    ada,
    bo,
    cy,
    admin,
    call,
    draft,
    async shared(title) {
      const id = await draft(title);
      const answer = await upload(target, ada, id, await zip({ "index.html": "<h1>Hello</h1>" }));
      assert.equal(answer.status, 200, answer.text);
      const people = [
        { email: bo.email, role: "editor" },
        { email: cy.email, role: "viewer" },
      ];
      await call(ada, "PUT", `/api/canvases/${id}/sharing`, { people });
      return id;
    },
    read: (id, person = ada) => call(person, "GET", `/api/canvases/${id}`),
  };
}

/** The button with a name. */
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** The title of a screen. */
export const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deactivate, disable, mayPublish } from "../admin.ts";
import { Browser } from "../browser.ts";
import { amend, manage, type Setup, type Stage, share } from "../fixture.ts";
import { guestOf, revoke } from "../guest.ts";
import { archive, expire, remove, unpublish } from "../lifecycle.ts";
import { open } from "../page.ts";
import { refused } from "../refusal.ts";
import { freshEmail, type Person, type Target } from "../target.ts";
import { dissolve, makeTeam, regroup } from "../team.ts";
import { finds, findsApi, findsPage, hidden, type Outcome, siteOf } from "./site.ts";

/** A person who has access to a canvas, and a function that takes this access away. */
interface Scene {
  person: Person;
  act: () => Promise<unknown>;
}

type Row = [
  name: string,
  outcome: Outcome,
  setting: (target: Target, site: Stage) => Promise<Scene> | Scene,
  setup?: Setup,
];

const SHUT: Outcome = [404, "OWNER_ONLY"];

const ROWS: Row[] = [
  ["a viewer taken off the list", SHUT, (target, site) => listed(target, site, "viewer")],
  ["an editor taken off the list", SHUT, (target, site) => listed(target, site, "editor")],
  [
    "somebody taken out of a team",
    SHUT,
    async (target, site) => {
      const { member, team } = await teamed(target, site);
      return { person: member, act: () => regroup(target, team, []) };
    },
  ],
  [
    "somebody whose team is deleted",
    SHUT,
    async (target, site) => {
      const { member, team } = await teamed(target, site);
      return { person: member, act: () => dissolve(target, team) };
    },
  ],
  [
    "somebody whose team is taken off the canvas",
    SHUT,
    async (target, site) => {
      const { member } = await teamed(target, site);
      return { person: member, act: () => amend(target, site, { teams: [] }) };
    },
  ],
  [
    "a member, when Whole org becomes private",
    SHUT,
    (target, site) => ({
      person: site.people.stranger,
      act: () => amend(target, site, { access: "private" }),
    }),
    { access: "whole_org" },
  ],
  [
    "a guest whose invitation is revoked",
    "turned away",
    async (target, site) => {
      const guest = await guestOf(target, site);
      return { person: guest, act: () => revoke(target, site, guest) };
    },
  ],
  [
    "somebody who is deactivated",
    "turned away",
    (target, { people }) => ({ person: people.viewer, act: () => deactivate(target, people.viewer) }),
  ],
  [
    "a viewer, when a password is set",
    [403, "PASSWORD_REQUIRED"],
    (target, site) => ({
      person: site.people.viewer,
      act: () => amend(target, site, { password: "from now on" }),
    }),
  ],
  [
    "a viewer, when the time of the share runs out",
    [404, "SHARE_EXPIRED"],
    (target, site) => ({ person: site.people.viewer, act: () => expire(target, site) }),
  ],
  [
    "the owner, when the canvas is archived",
    [404, "ARCHIVED"],
    (target, site) => ({ person: site.people.owner, act: () => archive(target, site) }),
  ],
  [
    "the owner, when the canvas is disabled",
    [403, "DISABLED"],
    (target, site) => ({ person: site.people.owner, act: () => disable(target, site) }),
  ],
  [
    "the owner, when the canvas is deleted",
    [404, "NOT_FOUND"],
    (target, site) => ({ person: site.people.owner, act: () => remove(target, site) }),
  ],
];

/** Tests that access is decided anew for every request, so that a change applies to the next request (specification 5). */
export function revocation(target: Target): void {
  describe("from the very next request on, by API and page", () => {
    for (const [name, outcome, setting, setup] of ROWS) {
      it(`${name}: ${outcome}`, async () => {
        const site = await siteOf(target, setup);
        const { person, act } = await setting(target, site);
        const browser = new Browser(target, person);
        await finds(target, site, browser, "in");
        await act();
        await finds(target, site, browser, outcome);
      });
    }

    it("a Public link that is revoked: members and anonymous callers lose access", async () => {
      for (const act of [
        (site: Stage) => amend(target, site, { access: "private" }),
        (site: Stage) => mayPublish(target, site.people.owner, false),
      ]) {
        const site = await siteOf(target, { access: "public_link" });
        const [nobody, member] = [new Browser(target), new Browser(target, site.people.stranger)];
        for (const browser of [nobody, member]) {
          await findsApi(target, site, browser, [403, "STATIC_ONLY"]);
          await findsPage(target, site, browser, "in");
        }
        await act(site);
        await finds(target, site, nobody, "turned away");
        await finds(target, site, member, SHUT);
      }
    });

    it("a canvas that becomes a Public link closes its API to viewers", async () => {
      const site = await siteOf(target);
      const browser = new Browser(target, site.people.viewer);
      await finds(target, site, browser, "in");
      await amend(target, site, { access: "public_link" });
      await findsApi(target, site, browser, [403, "STATIC_ONLY"]);
      await findsPage(target, site, browser, "in");
    });

    it("an unpublished canvas: no page, not even for the owner; its API stays open", async () => {
      const site = await siteOf(target);
      await unpublish(target, site);
      for (const role of ["owner", "viewer"] as const) {
        const browser = new Browser(target, site.people[role]);
        await findsApi(target, site, browser, "in");
        hidden(await browser.canvas(site.slug), 404);
      }
    });

    it("an editor who becomes a viewer, by list or by team, can no longer write", async () => {
      const site = await siteOf(target);
      const { member, team } = await teamed(target, site, "editor");
      const pages = [site.pages.editor, open(target, site.slug, member)];
      for (const page of pages) assert.equal((await page.put("/kv/k", 1)).status, 200);
      await share(
        target,
        site,
        "private",
        { editor: "viewer" },
        { teams: [{ id: team.id, role: "viewer" }] },
      );
      for (const page of pages) {
        refused(await page.put("/kv/k", 2), 403, "PERMISSION_DENIED");
        assert.equal((await page.get("/me")).json.canvasRole, "viewer");
      }
    });

    it("a transfer applies at once; the former owner is an editor", async () => {
      const site = await siteOf(target);
      const { owner, editor } = site.people;
      // This request makes the editor known to the service: a canvas can be transferred only to a person who has signed in.
      assert.equal((await site.pages.editor.get("/me")).json.canvasRole, "editor");
      const body = { email: editor.email };
      const answer = await manage(target, owner, "PUT", `/api/canvases/${site.id}/owner`, body);
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await site.pages.editor.get("/me")).json.canvasRole, "owner");
      assert.equal((await site.pages.owner.get("/me")).json.canvasRole, "editor");
    });

    it("access that is granted again applies at once", async () => {
      const site = await siteOf(target);
      const browser = new Browser(target, site.people.viewer);
      await share(target, site, "private", {});
      await finds(target, site, browser, SHUT);
      await share(target, site, "private", { viewer: "viewer" });
      await finds(target, site, browser, "in");
    });
  });
}

/**
 * Returns the viewer or the editor of a canvas, and a function that removes everybody from the list of people with whom the canvas is
 * shared.
 */
function listed(target: Target, site: Stage, role: "viewer" | "editor"): Scene {
  return { person: site.people[role], act: () => share(target, site, "private", {}) };
}

/** Creates a team with one new person and gives the team access to a canvas. Returns the person and the team. */
async function teamed(target: Target, site: Stage, role: "viewer" | "editor" = "viewer") {
  const member = await target.signIn(freshEmail("member"));
  const team = await makeTeam(target, site.people.owner, [member]);
  await amend(target, site, { teams: [{ id: team.id, role }] });
  return { member, team };
}

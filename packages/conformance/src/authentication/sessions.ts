import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Browser } from "../browser.ts";
import { manage, type Stage } from "../fixture.ts";
import { send } from "../http.ts";
import { refused } from "../refusal.ts";
import type { Person, Target } from "../target.ts";
import { finds, siteOf } from "./site.ts";

/** Tests that an ended session is refused, even with its old cookie (docs/sharing.md#sessions-and-tokens). Proxy mode has no sessions. */
export function sessions(target: Target): void {
  if (target.authMode === "proxy") return;
  describe("sessions", () => {
    const listed = async (person: Person) => {
      const { json } = await manage(target, person, "GET", "/api/sessions");
      return json.sessions as { id: string; current: boolean }[];
    };
    const endings: [name: string, end: (site: Stage, person: Person, other: Person) => Promise<unknown>][] = [
      [
        "signing out",
        async (_, person) => {
          const path = "/auth/logout";
          const answer = await send(target.base, { method: "POST", path, headers: person.headers });
          assert.equal(answer.status, 204, answer.text);
        },
      ],
      [
        "ending it from another one",
        async (_, person, other) => {
          const current = (await listed(person)).find(({ current }) => current);
          const answer = await manage(target, other, "DELETE", `/api/sessions/${current?.id}`);
          assert.equal(answer.status, 204, answer.text);
        },
      ],
    ];

    for (const [name, end] of endings) {
      it(`${name} ends it for API and page, and no other session`, async () => {
        const site = await siteOf(target);
        const { email, name: called } = site.people.viewer;
        const other = await target.signIn(email, called);
        const [ended, kept] = [new Browser(target, site.people.viewer), new Browser(target, other)];
        for (const browser of [ended, kept]) await finds(target, site, browser, "in");
        await end(site, site.people.viewer, other);
        await finds(target, site, ended, "turned away");
        await finds(target, site, kept, "in");
      });
    }

    it("the list: one's own sessions, of which one is current", async () => {
      const site = await siteOf(target);
      const { email, name } = site.people.viewer;
      const second = await target.signIn(email, name);
      const [mine, others] = [await listed(second), await listed(site.people.owner)];
      assert.equal(mine.length, 2);
      assert.equal(mine.filter(({ current }) => current).length, 1);
      assert.equal(others.length, 1);
      const { id } = mine.find(({ current }) => current) ?? assert.fail("no current session");
      refused(await manage(target, site.people.owner, "DELETE", `/api/sessions/${id}`), 404, "NOT_FOUND");
      await finds(target, site, new Browser(target, second), "in");
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Browser } from "../browser.ts";
import { amend, type Cast, cast, manage, type Stage, stage } from "../fixture.ts";
import { guestOf, revoke } from "../guest.ts";
import { send } from "../http.ts";
import { PASSWORD } from "../pipeline/causes.ts";
import { refused } from "../refusal.ts";
import { same } from "../same.ts";
import { freshEmail, type Person, type Target } from "../target.ts";
import { dissolve, makeTeam } from "../team.ts";
import { tokenOf } from "../token.ts";
import { are } from "./frame.ts";
import { knock } from "./handshake.ts";
import { line } from "./line.ts";

/** Tests close code 4401: the session, token or password that opened the connection is no longer valid. */
export function credentials(target: Target): void {
  describe("4401: the credential that opened the connection is no longer valid", () => {
    const dial = line(target);
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });

    it("a guest whose invitation is revoked; another guest stays, even when a password is set", async () => {
      const canvas = await stage(target, { people });
      const guests = [await guestOf(target, canvas), await guestOf(target, canvas)] as const;
      const [out, stays] = [await dial(canvas, guests[0]), await dial(canvas, guests[1])];
      await amend(target, canvas, { password: PASSWORD });
      await revoke(target, canvas, guests[0]);
      same(await out.end(), { code: 4401, frames: [] });
      are(await stays.settled(), []);
    });

    it("a person whose team is deleted", async () => {
      const canvas = await stage(target, { people });
      const member = await target.signIn(freshEmail("member"));
      const team = await makeTeam(target, people.owner, [member]);
      await amend(target, canvas, { teams: [{ id: team.id, role: "viewer" }] });
      const [out, stays] = [await dial(canvas, member), await dial(canvas, people.viewer)];
      await dissolve(target, team);
      same(await out.end(), { code: 4401, frames: [] });
      are(await stays.settled(), []);
    });

    it("the password opens the connection, and another password closes it", async () => {
      const canvas = await stage(target, { people, terms: { password: PASSWORD } });
      refused(await knock(target, canvas.slug, people.viewer), 403, "PASSWORD_REQUIRED");
      const inside = await unlocked(target, canvas, people.viewer);
      const socket = await dial(canvas, inside);
      await amend(target, canvas, { access: "whole_org" });
      are(await socket.settled(), []);
      await amend(target, canvas, { password: "another one" });
      same(await socket.end(), { code: 4401, frames: [] });
      refused(await knock(target, canvas.slug, inside), 403, "PASSWORD_REQUIRED");
    });

    if (target.authMode === "dev") {
      it("a session signed out: with the next frame at the latest; the person's other session stays", async () => {
        const canvas = await stage(target, { people });
        const { email, name } = people.viewer;
        const [ending, other] = [await target.signIn(email, name), await target.signIn(email, name)];
        const [out, stays] = [await dial(canvas, ending), await dial(canvas, other)];
        const path = "/auth/logout";
        assert.equal(
          (await send(target.base, { method: "POST", path, headers: ending.headers })).status,
          204,
        );
        out.send({ type: "subscribe", channel: "c" });
        same(await out.end(), { code: 4401, frames: [] });
        are(await stays.settled(), []);
      });
    }

    it("a token deleted: with the next frame at the latest; the person's session stays", async () => {
      const canvas = await stage(target, { people });
      const token = await tokenOf(target, people.viewer);
      const [out, stays] = [await dial(canvas, token, []), await dial(canvas, people.viewer)];
      const path = `/api/tokens/${token.id}`;
      assert.equal((await manage(target, people.viewer, "DELETE", path)).status, 204);
      out.send({ type: "subscribe", channel: "c" });
      same(await out.end(), { code: 4401, frames: [] });
      are(await stays.settled(), []);
    });
  });
}

/**
 * Submits the password of a canvas in a person's browser. Returns the person with the headers of that browser, password cookie included.
 */
async function unlocked(target: Target, { slug }: Stage, person: Person): Promise<Person> {
  const browser = new Browser(target, person);
  await browser.unlock(slug, PASSWORD);
  const kept = person.headers.filter(([name]) => name !== "Cookie");
  const api = new URL(`/v1/c/${slug}/realtime`, target.base);
  return { ...person, headers: [...kept, ...browser.jar.headersFor(api)] };
}

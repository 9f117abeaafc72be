import { before, describe, it } from "node:test";
import { disable } from "../admin.ts";
import { amend, turn } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import { archive, expire, publish } from "../lifecycle.ts";
import { open, type Page } from "../page.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { barred, connect, freshProfile, grant, passed, type Room, reach, roomOf } from "./profile.ts";
import { freshMark, nothingWith, onlyWith } from "./upstream-log.ts";

/** Tests what visitors of a Public link may call: profiles whose grant is public, and nothing else. */
export function visitors(target: Target): void {
  describe("visitors of a Public link", () => {
    let room: Room;
    let visiting: [string, Page][];
    let closed: string;
    before(async () => {
      room = await roomOf(target);
      const guest = open(target, room.slug, await guestOf(target, room));
      const { viewer, stranger } = room.pages;
      visiting = Object.entries({ viewer, stranger, guest, anonymous: open(target, room.slug, null) });
      await publish(target, room, "home");
      await amend(target, room, { access: "public_link" });
      closed = await connect(target, room);
      await grant(target, room.profile, room, { public: true });
    });

    it("a public grant admits all, anonymous ones too", async () => {
      for (const [, page] of visiting) {
        const mark = freshMark();
        passed(await reach(page, room.profile, {}, { mark }));
        await onlyWith(target, mark);
      }
    });

    it("any other profile: 403 STATIC_ONLY, also one that does not exist", async () => {
      for (const [, page] of visiting)
        for (const profile of [closed, freshProfile()]) {
          const mark = freshMark();
          barred(await reach(page, profile, {}, { mark }), 403, "STATIC_ONLY");
          await nothingWith(target, mark);
        }
      passed(await reach(room.pages.editor, closed));
    });

    it("the rest of the API stays 403 STATIC_ONLY", async () => {
      for (const [, page] of visiting)
        for (const path of ["/me", "/kv", "/connections"]) refused(await page.get(path), 403, "STATIC_ONLY");
    });

    it("the audience must include viewers", async () => {
      await turn(target, room, { connectionsAudience: "editors" });
      for (const [, page] of visiting) barred(await reach(page, room.profile), 403, "PERMISSION_DENIED");
      passed(await reach(room.pages.editor, room.profile));
      await turn(target, room, { connectionsAudience: "viewers" });
    });

    it("a grant that is no longer public: 403 STATIC_ONLY", async () => {
      await grant(target, room.profile, room);
      for (const [, page] of visiting) barred(await reach(page, room.profile), 403, "STATIC_ONLY");
      await grant(target, room.profile, room, { public: true });
    });

    for (const [state, enter, status, code] of [
      ["expired", expire, 404, "SHARE_EXPIRED"],
      ["archived", archive, 404, "ARCHIVED"],
      ["disabled", disable, 403, "DISABLED"],
    ] as const)
      it(`a canvas that is ${state}: ${status} ${code}, whatever the grant`, async () => {
        const canvas = await roomOf(target, {}, { people: room.people });
        await publish(target, canvas, "home");
        await amend(target, canvas, { access: "public_link" });
        await grant(target, canvas.profile, canvas, { public: true });
        await enter(target, canvas);
        const mark = freshMark();
        barred(await reach(canvas.pages.stranger, canvas.profile, {}, { mark }), status, code);
        await nothingWith(target, mark);
      });

    it("a password applies to anonymous visitors", async () => {
      await amend(target, room, { password: "a password" });
      refused(await reach(open(target, room.slug, null), room.profile), 403, "PASSWORD_REQUIRED");
    });
  });
}

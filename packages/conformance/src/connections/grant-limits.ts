import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { amend } from "../fixture.ts";
import { guestOf } from "../guest.ts";
import type { Answer } from "../http.ts";
import { publish } from "../lifecycle.ts";
import { open, type Page } from "../page.ts";
import type { Target } from "../target.ts";
import { barred, type GrantSetup, grant, passed, type Room, reach, roomOf } from "./profile.ts";
import { asking } from "./reply.ts";
import { freshMark, nothingWith, onlyWith, receivedWith } from "./upstream-log.ts";

const DAY_S = 24 * 60 * 60;

/** Tests the limits that a grant sets for guests and visitors of a Public link: exact paths, methods, and requests a day. */
export function grantLimits(target: Target): void {
  describe("limits of a grant", () => {
    let room: Room;
    let link: Room;
    /** Callers to whom the limits apply, by name, each with their room. */
    let limited: [name: string, room: Room, page: Page][];
    before(async () => {
      room = await roomOf(target);
      link = await roomOf(target, {}, { people: room.people });
      await publish(target, link, "home");
      await amend(target, link, { access: "public_link" });
      limited = [
        ["guest", room, open(target, room.slug, await guestOf(target, room))],
        ["member", link, link.pages.viewer],
        ["anonymous", link, open(target, link.slug, null)],
      ];
    });

    /** Grants both profiles with these limits. */
    const limit = async (limits: GrantSetup["limits"] = {}) => {
      await grant(target, room.profile, room, { guests: true, limits });
      await grant(target, link.profile, link, { public: true, limits });
    };
    const ask = (page: Page, { profile }: Room, path: string, mark: string, method = "GET") =>
      page.send(method, `/connections/${profile}/${path}${path.includes("?") ? "&" : "?"}mark=${mark}`);
    const sent = async (answer: Answer, mark: string) => {
      passed(answer);
      await onlyWith(target, mark);
    };

    it("paths: exactly these, with any query; any other is 403 PERMISSION_DENIED, not sent", async () => {
      await limit({ paths: ["/v1/forecast", "/a%20b", "/"] });
      for (const [name, where, page] of limited) {
        for (const path of ["v1/forecast", "v1/forecast?city=Rome", "v1/./forecast", "a%20b", ""]) {
          const mark = freshMark();
          await sent(await ask(page, where, path, mark), mark);
        }
        for (const path of [
          "v1",
          "v1/forecast/",
          "v1/forecast/x",
          "V1/forecast",
          "v1%2Fforecast",
          "%761/forecast",
        ]) {
          const mark = freshMark();
          const answer = await ask(page, where, path, mark);
          assert.equal(answer.status, 403, `${name} ${path}`);
          barred(answer, 403, "PERMISSION_DENIED");
          await nothingWith(target, mark);
        }
      }
      for (const [where, page] of [
        [room, room.pages.viewer],
        [link, link.pages.editor],
      ] as const) {
        const mark = freshMark();
        await sent(await ask(page, where, "other", mark), mark);
      }
    });

    it("a redirect is followed to these paths only", async () => {
      await limit({ paths: ["/x", "/y"] });
      for (const [, where, page] of limited)
        for (const [path, requests] of [
          ["y", 2],
          ["z", 1],
        ] as const) {
          const mark = freshMark();
          const location = `/${path}?${asking({ body: "end" }, mark)}`;
          const answer = await reach(page, where.profile, { status: 302, headers: { location } }, { mark });
          if (requests === 2) passed(answer);
          else barred(answer, 403, "DESTINATION_BLOCKED");
          assert.equal((await receivedWith(target, mark)).length, requests);
        }
    });

    it("methods: exactly these; any other is 405 with Allow, and /me agrees", async () => {
      await limit({ methods: ["GET", "PATCH"] });
      for (const [, where, page] of limited) {
        const [allowed, other] = [freshMark(), freshMark()];
        await sent(await ask(page, where, "x", allowed, "PATCH"), allowed);
        const answer = await ask(page, where, "x", other, "POST");
        barred(answer, 405, "METHOD_NOT_ALLOWED");
        assert.equal(answer.headers.allow, "GET, PATCH");
        await nothingWith(target, other);
      }
      const mark = freshMark();
      await sent(await ask(room.pages.viewer, room, "x", mark, "POST"), mark);
      const [[, , guest] = assert.fail()] = limited;
      const { resources } = (await guest.get("/me")).json as { resources: { connections: unknown } };
      assert.deepEqual(resources.connections, {
        [room.profile]: { invoke: true, methods: ["GET", "PATCH"] },
      });
    });

    it("requests a day of all guests and visitors together; the next is 429 until midnight UTC", async () => {
      const visitors = limited.filter(([, where]) => where === link).map(([, , page]) => page);
      const [first = assert.fail(), second = assert.fail()] = visitors;
      await limit({ requestsPerDay: 3 });
      passed(await reach(first, link.profile));
      passed(await reach(second, link.profile, { status: 500 }), 500);
      passed(await reach(first, link.profile));
      for (const page of visitors) {
        const mark = freshMark();
        const answer = await reach(page, link.profile, {}, { mark });
        barred(answer, 429, "CONNECTION_RATE_LIMIT");
        const seconds = Number(answer.headers["retry-after"]);
        assert.ok(seconds >= 1 && seconds <= DAY_S, `${seconds}`);
        await nothingWith(target, mark);
      }
      passed(await reach(link.pages.editor, link.profile));
      const [[, , guest] = assert.fail()] = limited;
      passed(await reach(guest, room.profile));
      await limit({ requestsPerDay: 4 });
      passed(await reach(second, link.profile));
      barred(await reach(first, link.profile), 429, "CONNECTION_RATE_LIMIT");
      await limit({});
      passed(await reach(first, link.profile));
    });
  });
}

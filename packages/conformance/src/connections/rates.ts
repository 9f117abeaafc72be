import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { guestOf } from "../guest.ts";
import { open } from "../page.ts";
import type { Target } from "../target.ts";
import { fill } from "./places.ts";
import { barred, connect, grant, passed, type Room, reach, roomOf } from "./profile.ts";
import { freshMark, nothingWith } from "./upstream-log.ts";

const PER_MINUTE = 60;

/**
 * Tests the rate limit on calls: 60 a minute for each caller, canvas and profile. The service must allow more than 60 requests a minute to
 * the runtime API of a canvas (`SERVICE_RATELIMIT_CANVAS_API_PER_MIN`).
 */
export function rates(target: Target): void {
  describe("rates", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target);
      for (let turn = 0; turn < PER_MINUTE; turn++) passed(await reach(room.pages.owner, room.profile));
    });

    it("the 61st call: 429 CONNECTION_RATE_LIMIT with Retry-After, not sent", async () => {
      const mark = freshMark();
      const answer = await reach(room.pages.owner, room.profile, {}, { mark });
      barred(answer, 429, "CONNECTION_RATE_LIMIT");
      assert.match(answer.headers["retry-after"] ?? "", /^[1-9]\d*$/);
      await nothingWith(target, mark);
    });

    it("others, guests, other profiles and other canvases have rates of their own", async () => {
      passed(await reach(room.pages.editor, room.profile));
      passed(await reach(open(target, room.slug, await guestOf(target, room)), room.profile));
      passed(await reach(room.pages.owner, await connect(target, room)));
      const other = await roomOf(target, {}, { people: room.people });
      await grant(target, room.profile, other);
      passed(await reach(other.pages.owner, room.profile));
    });

    it("limits of a request are checked before, concurrency after", async () => {
      const body = Buffer.alloc(256 * 1024 + 1);
      const large = await reach(room.pages.owner, room.profile, {}, { method: "POST", body });
      barred(large, 413, "REQUEST_TOO_LARGE");
      const held = await fill(target, room);
      try {
        barred(await reach(room.pages.owner, room.profile), 429, "CONNECTION_RATE_LIMIT");
        barred(await reach(room.pages.editor, room.profile), 429, "CONNECTION_LIMIT");
      } finally {
        for (const each of held) each.destroy();
      }
    });
  });
}

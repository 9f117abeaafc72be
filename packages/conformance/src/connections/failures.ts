import { before, describe, it } from "node:test";
import { closedPort } from "../closed-port.ts";
import type { Target } from "../target.ts";
import { barred, connect, type Room, reach, roomOf } from "./profile.ts";
import { asking, type Reply } from "./reply.ts";
import { freshMark, nothingWith } from "./upstream-log.ts";

/** Tests calls to upstreams that cannot be reached, and the limit of ten seconds for a call. */
export function failures(target: Target): void {
  describe("upstreams that fail", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target);
    });

    for (const [name, origin] of [
      ["nothing listens", async () => `https://localhost:${await closedPort()}`],
      ["the name does not exist", async () => "https://no-such-host.invalid"],
    ] as const) {
      it(`${name}: 502 UPSTREAM_UNAVAILABLE`, async () => {
        const profile = await connect(target, room, { origin: await origin() });
        const mark = freshMark();
        barred(await reach(room.pages.viewer, profile, {}, { mark }), 502, "UPSTREAM_UNAVAILABLE");
        await nothingWith(target, mark);
      });
    }

    it("no response, no end, or late after a slow redirect: 504 UPSTREAM_TIMEOUT after ten seconds in all", async () => {
      const replies: Reply[] = [
        { hang: true },
        { body: "partial", stall: true },
        {
          delayMs: 5_000,
          status: 302,
          headers: { location: `/?${asking({ delayMs: 8_000, body: "late" })}` },
        },
      ];
      const answers = await Promise.all(
        replies.map((reply) => reach(room.pages.viewer, room.profile, reply)),
      );
      for (const answer of answers) barred(answer, 504, "UPSTREAM_TIMEOUT");
    });
  });
}

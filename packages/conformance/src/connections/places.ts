import assert from "node:assert/strict";
import type { ClientRequest } from "node:http";
import { before, describe, it } from "node:test";
import { guestOf } from "../guest.ts";
import { start } from "../http.ts";
import { pageHeaders } from "../page.ts";
import { until } from "../patience.ts";
import type { Person, Target } from "../target.ts";
import { barred, connect, grant, passed, pathOf, type Room, reach, roomOf } from "./profile.ts";
import type { Reply } from "./reply.ts";
import { arrivals, freshMark, onlyWith, receivedWith } from "./upstream-log.ts";

/** The number of concurrent calls that a canvas may have. */
export const PLACES = 5;

/** Begins a call of a Connection. By default, the upstream never responds to it. To abort the call, destroy the returned request. */
export function hold(
  target: Target,
  room: Room,
  person: Person,
  mark: string,
  profile = room.profile,
  reply: Reply = { hang: true },
): ClientRequest {
  const request = start(
    target.base,
    {
      method: "GET",
      path: `/v1/c/${room.slug}${pathOf(profile, reply, mark)}`,
      headers: [...person.headers, ...pageHeaders(target, room.slug)],
    },
    false,
  );
  request.on("error", () => {});
  request.on("response", (response) => response.resume());
  request.end();
  return request;
}

/** Returns guests of a canvas, one for each of its places and in pairs the same: a service may refuse one caller all places. */
async function crowd(target: Target, room: Room): Promise<Person[]> {
  const guests: Person[] = [];
  while (guests.length < PLACES) {
    const guest = await guestOf(target, room);
    guests.push(guest, guest);
  }
  return guests.slice(0, PLACES);
}

/** Begins as many calls as a canvas may have at a time, so that the next call is refused. Returns their requests. */
export async function fill(
  target: Target,
  room: Room,
  mark = freshMark(),
  reply?: Reply,
): Promise<ClientRequest[]> {
  const callers = await crowd(target, room);
  const held = callers.map((caller) => hold(target, room, caller, mark, room.profile, reply));
  await arrivals(target, mark, PLACES);
  return held;
}

/** Tests the limit on concurrent calls of a canvas. */
export function places(target: Target): void {
  describe("concurrent calls", () => {
    let room: Room;
    before(async () => {
      room = await roomOf(target);
    });

    it("five of a canvas; a sixth is 429 CONNECTION_LIMIT until one is aborted", async () => {
      const [first, other] = [freshMark(), freshMark()];
      const [caller = assert.fail(), ...callers] = await crowd(target, room);
      const aborted = hold(target, room, caller, first);
      const held = callers.map((each) => hold(target, room, each, other));
      try {
        await arrivals(target, first, 1);
        await arrivals(target, other, PLACES - 1);
        const { owner } = room.pages;
        const second = await connect(target, room);
        for (const profile of [room.profile, second]) {
          const answer = await reach(owner, profile);
          barred(answer, 429, "CONNECTION_LIMIT");
          assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
        }
        const elsewhere = await roomOf(target, {}, { people: room.people });
        await grant(target, room.profile, elsewhere);
        passed(await reach(elsewhere.pages.owner, room.profile));
        aborted.destroy();
        await until(
          "the upstream's connection closes",
          async () => (await onlyWith(target, first)).aborted === true,
        );
        await until("the place is free", async () => (await reach(owner, room.profile)).status === 200);
      } finally {
        for (const each of [aborted, ...held]) each.destroy();
      }
    });

    it("a caller who disconnects amid the body of the upstream frees the place", async () => {
      const canvas = await roomOf(target);
      const mark = freshMark();
      // Responds 504 at its deadline, which is before those of the others.
      const reference = hold(target, room, room.people.owner, freshMark());
      let timedOut = false;
      reference.once("response", () => {
        timedOut = true;
      });
      const held = await fill(target, canvas, mark, { body: "partial", stall: true });
      try {
        barred(await reach(canvas.pages.owner, canvas.profile), 429, "CONNECTION_LIMIT");
      } finally {
        for (const each of held) each.destroy();
      }
      await until("the upstream's connections close", async () =>
        (await receivedWith(target, mark)).every(({ aborted }) => aborted === true),
      );
      await until(
        "the places are free",
        async () => (await reach(canvas.pages.owner, canvas.profile)).status === 200,
      );
      reference.destroy();
      assert.equal(timedOut, false, "the places are free before the deadline");
    });

    it("a call frees its place when it ends, whatever its outcome", async () => {
      const { pages, profile } = await roomOf(target);
      const outcomes = [
        [200, { body: "ok" }],
        [500, { status: 500 }],
        [502, { body: "x", cut: true }],
        [403, { headers: { "content-encoding": "gzip" } }],
      ] as const;
      for (const [status, reply] of outcomes)
        for (let turn = 0; turn <= PLACES; turn++)
          await until(`a call ends with ${status}`, async () => {
            const answer = await reach(pages.owner, profile, reply);
            if (answer.status !== 429) assert.equal(answer.status, status);
            return answer.status === status;
          });
    });
  });
}

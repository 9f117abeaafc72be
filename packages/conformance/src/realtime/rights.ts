import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AUDIENCES, type ChannelPolicy } from "@easel/protocol/policy";
import { type Guest, guestOf } from "../guest.ts";
import { open } from "../page.ts";
import { govern } from "../policy.ts";
import type { Target } from "../target.ts";
import { are } from "./frame.ts";
import { line } from "./line.ts";
import { type Actor, may, OPEN, played, RIGHTS, scene, usual } from "./rights-oracle.ts";
import { type Room, room } from "./room.ts";
import type { Frame, Socket } from "./socket.ts";

/**
 * Channel policies by channel name, such as `publish.editors`. Each policy gives one right to one audience, and the other rights to
 * everyone. Half of the names begin with `participants:`.
 */
const POLICIES: Record<string, ChannelPolicy> = Object.fromEntries(
  RIGHTS.flatMap((right) =>
    AUDIENCES.flatMap((audience) => {
      const policy = { ...OPEN, [right]: audience };
      return [
        [`${right}.${audience}`, policy],
        [`participants:${right}.${audience}`, policy],
      ];
    }),
  ),
);

/** Channel policies by channel name. Each restricts several rights at once. */
const MIXED: Record<string, ChannelPolicy> = {
  closed: { subscribe: "none", publish: "none", seePresence: "none", participatePresence: "none" },
  "participants:closed": {
    subscribe: "none",
    publish: "none",
    seePresence: "none",
    participatePresence: "none",
  },
  announcements: {
    subscribe: "viewers",
    publish: "editors",
    seePresence: "editors",
    participatePresence: "none",
  },
  "participants:staff": {
    subscribe: "editors",
    publish: "editors",
    seePresence: "editors",
    participatePresence: "editors",
  },
  suggestions: {
    subscribe: "editors",
    publish: "viewers",
    seePresence: "viewers",
    participatePresence: "editors",
  },
  hidden: { subscribe: "viewers", publish: "viewers", seePresence: "none", participatePresence: "none" },
};

/**
 * Channels that the policy document does not name, so that the default rights apply. Some of their names are similar to names in the
 * document.
 */
const UNNAMED = [
  "lobby",
  "participants:lobby",
  "publish.none ",
  "Closed",
  "participants:closed:more",
  "constructor",
  "__proto__",
];

/**
 * Tests each right on a channel for every role (specification 5). A policy takes precedence over the default rights of the prefix
 * `participants:`.
 */
export function rights(target: Target): void {
  describe("rights on a channel", () => {
    const dial = line(target, after);
    let here: Room;
    let guest: Guest;
    let actors: Actor[];
    let sockets: Socket[];
    before(async () => {
      here = await room(target, { access: "private" });
      guest = await guestOf(target, here);
      await govern(target, here, { channels: { ...POLICIES, ...MIXED } });
      const { owner, editor, viewer } = here.people;
      sockets = await Promise.all([owner, editor, viewer, guest].map((person) => dial(here, person)));
      actors = [
        { ...here.users.owner, role: "owner" },
        { ...here.users.editor, role: "editor" },
        { ...here.users.viewer, role: "viewer" },
        { id: `guest:${guest.invite.id}`, name: guest.invite.name, role: "viewer" },
      ];
    });

    const channels = [
      ...Object.entries({ ...POLICIES, ...MIXED }),
      ...UNNAMED.map((channel) => [channel, usual(channel)] as const),
    ];
    for (const [channel, policy] of channels) {
      it(`${channel}: ${RIGHTS.map((right) => `${right} ${policy[right]}`).join(", ")}`, async () => {
        const acts = scene(actors.length);
        const expected = played(channel, policy, actors, acts);
        const got: Frame[][] = sockets.map(() => []);
        for (const { by, type } of acts) {
          const socket = sockets[by] as Socket;
          socket.send({ type, channel });
          got[by]?.push(...(await socket.settled()));
        }
        for (const [index, socket] of sockets.entries()) {
          const rest = (expected[index]?.length ?? 0) - (got[index]?.length ?? 0);
          const frames = [...(got[index] ?? []), ...(await socket.take(rest)), ...(await socket.settled())];
          are(frames, expected[index] ?? []);
        }
      });
    }

    it("`GET /me` lists the same rights", async () => {
      const pages = [here.pages.owner, here.pages.editor, here.pages.viewer, open(target, here.slug, guest)];
      for (const [index, page] of pages.entries()) {
        const role = actors[index]?.role ?? "viewer";
        const { resources } = (await page.get("/me")).json as { resources: { channels: object } };
        const expected = Object.entries({ ...POLICIES, ...MIXED }).map(([channel, policy]) => [
          channel,
          Object.fromEntries(RIGHTS.map((right) => [right, may(policy, right, role)])),
        ]);
        assert.deepEqual(resources.channels, Object.fromEntries(expected));
      }
    });
  });
}

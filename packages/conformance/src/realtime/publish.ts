import { before, describe, it } from "node:test";
import type { Json } from "@easel/protocol/types";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, enter, failure, gets, message } from "./frame.ts";
import { line } from "./line.ts";
import { freshChannel, type Room, room } from "./room.ts";

const VALUES: [name: string, data: Json][] = [
  ["null", null],
  ["false", false],
  ["zero", 0],
  ["a fraction", -1.5e-7],
  ["an empty text", ""],
  ["a lone surrogate", "\ud800"],
  ["a NUL", "a\0b"],
  ["an array", [1, [null, { a: [] }]]],
  ["a frame of the service", { type: "message", channel: "c", from: { canvasRole: "owner" } }],
  ["JSON.stringify's own hook", { toJSON: "x" }],
];

/** Forged fields that a publisher adds to a `publish` frame. */
const FORGED = {
  from: { id: "u-1", name: "Somebody else", canvasRole: "owner" },
  user: { id: "u-1" },
  userId: "u-1",
  id: "m-1",
  name: "Somebody else",
  canvasRole: "owner",
  code: "RATE_LIMITED",
  users: [],
  canvas: "another",
};

/** Tests that `publish` sends a message with its sender to every subscriber. */
export function publish(target: Target): void {
  describe("publish", () => {
    const dial = line(target);
    let here: Room;
    before(async () => {
      here = await room(target);
    });

    it("goes to every subscribed connection, including the sender's and others of the same person", async () => {
      const [channel, elsewhere] = [freshChannel(), freshChannel()];
      const { owner, viewer } = here.people;
      const [sender, twin, other, apart] = await Promise.all([
        dial(here, viewer),
        dial(here, viewer),
        dial(here, owner),
        dial(here, owner),
      ]);
      for (const socket of [twin, other, sender]) await enter(socket, channel);
      await enter(apart, elsewhere);
      for (const socket of [twin, other]) await socket.settled();
      sender.send({ type: "publish", channel, event: "move", data: { x: 1 } });
      const expected = [message(channel, "move", { x: 1 }, here.users.viewer, "viewer")];
      for (const socket of [sender, twin, other]) await gets(socket, expected);
      await gets(apart, []);
    });

    it("needs no subscription, and has no other response", async () => {
      const channel = freshChannel();
      const [sender, other] = [await dial(here, here.people.viewer), await dial(here, here.people.owner)];
      sender.send({ type: "publish", channel, event: "to nobody" });
      await gets(sender, []);
      await enter(other, channel);
      sender.send({ type: "publish", channel, event: "to one" });
      await gets(other, [message(channel, "to one", null, here.users.viewer, "viewer")]);
      await gets(sender, []);
    });

    it("is not sent to those who have unsubscribed", async () => {
      const channel = freshChannel();
      const [sender, other] = [await dial(here, here.people.viewer), await dial(here, here.people.owner)];
      await enter(other, channel);
      other.send({ type: "unsubscribe", channel });
      are(await other.settled(), []);
      await enter(sender, channel);
      sender.send({ type: "publish", channel });
      await gets(sender, [message(channel, "", null, here.users.viewer, "viewer")]);
      await gets(other, []);
    });

    it("a missing event is empty, missing data is null", async () => {
      const channel = freshChannel();
      const socket = await dial(here, here.people.editor);
      await enter(socket, channel);
      for (const [given, event, data] of [
        [{}, "", null],
        [{ event: "e" }, "e", null],
        [{ data: 1 }, "", 1],
        [{ event: "", data: null }, "", null],
      ] as const) {
        socket.send({ type: "publish", channel, ...given });
        await gets(socket, [message(channel, event, data, here.users.editor, "editor")]);
      }
    });

    for (const [name, data] of VALUES) {
      it(`data may be ${name}`, async () => {
        const channel = freshChannel();
        const socket = await dial(here, here.people.owner);
        await enter(socket, channel);
        socket.send({ type: "publish", channel, event: "e", data });
        await gets(socket, [message(channel, "e", data, here.users.owner, "owner")]);
      });
    }

    it("an event may be any text, data may have any names", async () => {
      const channel = freshChannel();
      const socket = await dial(here, here.people.owner);
      await enter(socket, channel);
      for (const text of ["__proto__", "error", "\ud800", "\0", " ", "😀", "e".repeat(8_000)]) {
        const data = JSON.parse(`{${JSON.stringify(text)}: {"constructor": [1]}}`);
        socket.send({ type: "publish", channel, event: text, data });
        await gets(socket, [message(channel, text, data, here.users.owner, "owner")]);
      }
    });

    it("`from` is set by the service; what a page claims is ignored", async () => {
      const channel = freshChannel();
      const [sender, other] = [await dial(here, here.people.viewer), await dial(here, here.people.owner)];
      await enter(other, channel);
      sender.send({ ...FORGED, type: "publish", channel, event: "e", data: FORGED });
      await gets(other, [message(channel, "e", FORGED, here.users.viewer, "viewer")]);
      await gets(sender, []);
    });

    it("carries the sender's role on this canvas", async () => {
      const channel = freshChannel();
      const witness = await dial(here, here.people.stranger);
      await enter(witness, channel);
      for (const role of ["owner", "editor", "viewer"] as const) {
        const socket = await dial(here, here.people[role]);
        socket.send({ type: "publish", channel, data: role });
        same(await witness.next(), message(channel, "", role, here.users[role], role));
      }
    });

    it("a sender's messages come in their order, 300 at once", async () => {
      const channel = freshChannel();
      const [sender, other] = [await dial(here, here.people.viewer), await dial(here, here.people.owner)];
      await enter(other, channel);
      const turns = Array.from({ length: 300 }, (_, turn) => turn);
      for (const data of turns) sender.send({ type: "publish", channel, data });
      await gets(
        other,
        turns.map((data) => message(channel, "", data, here.users.viewer, "viewer")),
      );
      await gets(sender, []);
    });

    it("without a policy: owner and editors on any channel, everyone on channels with the prefix `participants:`", async () => {
      const witness = await dial(here, here.people.owner);
      const socket = await dial(here, here.people.viewer);
      for (const channel of ["participants:", "participants:a", "participants::", "participants:\0"]) {
        await enter(witness, channel);
        socket.send({ type: "publish", channel });
        same(await witness.next(), message(channel, "", null, here.users.viewer, "viewer"));
      }
      for (const channel of [
        "room",
        "participants",
        "Participants:a",
        " participants:a",
        "a:participants:",
      ]) {
        await enter(witness, channel);
        socket.send({ type: "publish", channel, event: "e" });
        await gets(socket, [failure("PERMISSION_DENIED", { channel })]);
        for (const role of ["editor", "owner"] as const) {
          const manager = await dial(here, here.people[role]);
          manager.send({ type: "publish", channel });
          same(await witness.next(), message(channel, "", null, here.users[role], role));
        }
      }
    });
  });
}

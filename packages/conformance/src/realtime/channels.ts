import { before, describe, it } from "node:test";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { enter, failure, gets, join, leave, message, presence, subscribed } from "./frame.ts";
import { line } from "./line.ts";
import { type Room, room } from "./room.ts";

const MAX = 128;
const MOST = 64;

const FITTING: [name: string, channel: string][] = [
  ["one character", "c"],
  ["a space", " "],
  ["a NUL", "\0"],
  ["control characters", "\r\n\t\u007f"],
  ["a quote and a backslash", '"\\'],
  ["a slash", "/../me"],
  ["an object-prototype name", "__proto__"],
  ["another one", "constructor"],
  ["the name of a method", "hasOwnProperty"],
  ["the name of a frame", "subscribe"],
  ["a lone high surrogate", "\ud800"],
  ["a lone low surrogate", "a\udc00"],
  ["a noncharacter", "\uffff"],
  ["a BOM", "\ufeff"],
  ["128 bytes of ASCII", "c".repeat(MAX)],
  ["128 bytes of two-byte characters", "é".repeat(MAX / 2)],
  ["128 bytes of three-byte characters and ASCII", `ab${"€".repeat(42)}`],
  ["128 bytes of emoji", "😀".repeat(MAX / 4)],
  ["126 bytes of lone surrogates", "\udc00".repeat(42)],
];

const TOO_LONG: [name: string, channel: string][] = [
  ["129 bytes of ASCII", "c".repeat(MAX + 1)],
  ["128 characters, 129 bytes", `${"c".repeat(MAX - 1)}é`],
  ["65 characters of two bytes", "é".repeat(MAX / 2 + 1)],
  ["43 characters of three bytes", "€".repeat(43)],
  ["33 emoji", "😀".repeat(MAX / 4 + 1)],
  ["128 UTF-16 units of emoji", "😀".repeat(MAX / 2)],
  ["43 lone surrogates", "\ud800".repeat(43)],
  ["`participants:` and 116 more", `participants:${"c".repeat(116)}`],
  ["10,000 bytes", "c".repeat(10_000)],
];

/**
 * Each row has the names of two different channels, which a faulty service could confuse. A subscriber of one must get no messages of the
 * other.
 */
const APART: [one: string, other: string][] = [
  ["a", "A"],
  ["a", "a "],
  ["a", "a\0"],
  ["a\0b", "a\0c"],
  ["\u00e9", "e\u0301"],
  ["\ud800", "\ud801"],
  ["\ud800", "\ufffd"],
  ["\ud800\ud800", "\ud800"],
  ["ß", "ss"],
  ["1", "01"],
  ["a/b", "a%2Fb"],
  ["a*", "ab"],
  ["?", "b"],
  ["[ab]", "a"],
  ["a%", "ab"],
  ["a_", "ab"],
  ["a:b", "a"],
  ["__proto__", "constructor"],
];

/** Tests channels: a name is any text of 1 to 128 bytes, and a connection has at most 64 channels. */
export function channels(target: Target): void {
  describe("channels", () => {
    const dial = line(target);
    let here: Room;
    before(async () => {
      here = await room(target);
    });

    for (const [name, channel] of FITTING) {
      it(`${name} names a channel`, async () => {
        const { owner, viewer } = here.users;
        const [first, second] = [await dial(here, here.people.owner), await dial(here, here.people.viewer)];
        same(await enter(first, channel), [owner]);
        same(await enter(second, channel), [owner, viewer]);
        second.send({ type: "presence", channel });
        second.send({ type: "unsubscribe", channel });
        await gets(second, [presence(channel, [owner, viewer])]);
        first.send({ type: "publish", channel, event: "e", data: channel });
        await gets(first, [
          join(channel, viewer),
          leave(channel, viewer),
          message(channel, "e", channel, owner, "owner"),
        ]);
      });
    }

    for (const [name, channel] of TOO_LONG) {
      it(`${name}: CHANNEL_NAME_TOO_LARGE to every frame`, async () => {
        const socket = await dial(here, here.people.owner);
        const types = ["subscribe", "unsubscribe", "publish", "presence"];
        for (const type of types) socket.send({ type, channel });
        await gets(
          socket,
          types.map(() => failure("CHANNEL_NAME_TOO_LARGE")),
        );
      });
    }

    it("similar but different names are different channels", async () => {
      const { owner } = here.users;
      const [first, second] = [await dial(here, here.people.owner), await dial(here, here.people.viewer)];
      for (const [one, other] of APART) {
        await enter(first, one);
        for (const data of [other, one]) first.send({ type: "publish", channel: data, data });
        await gets(first, [message(one, "", one, owner, "owner")]);
        second.send({ type: "presence", channel: other });
        await gets(second, [presence(other, [])]);
        same(await enter(second, other), [here.users.viewer]);
        second.send({ type: "unsubscribe", channel: other });
        first.send({ type: "unsubscribe", channel: one });
        await gets(first, []);
      }
    });

    it("64 channels on a connection; the 65th is CHANNEL_LIMIT, and everything else goes on", async () => {
      const { viewer } = here.users;
      const [socket, other] = [await dial(here, here.people.viewer), await dial(here, here.people.viewer)];
      const names = Array.from({ length: MOST }, (_, index) => `participants:${index}`);
      const [some = "", another = ""] = names;
      for (const channel of names) socket.send({ type: "subscribe", channel });
      const answers = names.flatMap((channel) => [subscribed(channel), presence(channel, [viewer])]);
      await gets(socket, answers);

      const past = "participants:past";
      for (let turn = 0; turn < 2; turn++) {
        socket.send({ type: "subscribe", channel: past });
        await gets(socket, [failure("CHANNEL_LIMIT", { channel: past })]);
      }
      socket.send({ type: "presence", channel: past });
      socket.send({ type: "publish", channel: past });
      socket.send({ type: "subscribe", channel: some });
      socket.send({ type: "publish", channel: another });
      await gets(socket, [
        presence(past, []),
        subscribed(some),
        presence(some, [viewer]),
        message(another, "", null, viewer, "viewer"),
      ]);

      same(await enter(other, past), [viewer]);
      socket.send({ type: "unsubscribe", channel: some });
      same(await enter(socket, past), [viewer]);
      socket.send({ type: "subscribe", channel: some });
      await gets(socket, [failure("CHANNEL_LIMIT", { channel: some })]);
    });

    it("a race for the last place has one winner", async () => {
      const socket = await dial(here, here.people.viewer);
      for (let index = 1; index < MOST; index++) await enter(socket, `taken-${index}`);
      const names = Array.from({ length: 5 }, (_, index) => `wanted-${index}`);
      for (const channel of names) socket.send({ type: "subscribe", channel });
      const [first = "", ...others] = names;
      await gets(socket, [
        subscribed(first),
        presence(first, [here.users.viewer]),
        ...others.map((channel) => failure("CHANNEL_LIMIT", { channel })),
      ]);
    });
  });
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, enter, failure, gets, message } from "./frame.ts";
import { line } from "./line.ts";
import { freshChannel, type Room, room } from "./room.ts";
import type { Socket } from "./socket.ts";

const MAX = 16 * 1024;
/** The size limit in bytes above which a frame closes the connection. The service only refuses a smaller frame that is too large. */
const CAP = 128 * 1024;

const CHARACTERS: [name: string, character: string][] = [
  ["ASCII", "a"],
  ["two-byte characters", "é"],
  ["three-byte characters", "€"],
  ["emoji", "😀"],
];

/** Returns a publish frame of exactly `bytes` bytes. Its data is `character` repeated, then ASCII letters up to the exact size. */
function sized(channel: string, character: string, bytes: number): { frame: string; data: string } {
  const around = JSON.stringify({ type: "publish", channel, data: "" });
  const room = bytes - Buffer.byteLength(around);
  const width = Buffer.byteLength(character);
  const data = character.repeat(Math.floor(room / width)) + "a".repeat(room % width);
  const frame = around.replace('""}', `${JSON.stringify(data)}}`);
  assert.equal(Buffer.byteLength(frame), bytes);
  return { frame, data };
}

/** Tests the size of frames: at most 16,384 bytes. A somewhat larger frame is refused, and a very large one closes the connection. */
export function sizes(target: Target): void {
  describe("the size of a frame", () => {
    const dial = line(target);
    let here: Room;
    before(async () => {
      here = await room(target);
    });
    const TOO_LARGE = [failure("MESSAGE_TOO_LARGE")];
    const seated = async (channel: string) => {
      const socket = await dial(here, here.people.owner);
      await enter(socket, channel);
      return socket;
    };
    const still = async (socket: Socket, channel: string, data = "still here") => {
      socket.send({ type: "publish", channel, data });
      same(await socket.next(), message(channel, "", data, here.users.owner, "owner"));
    };

    for (const [name, character] of CHARACTERS) {
      it(`16,384 bytes of ${name} pass, 16,385 are MESSAGE_TOO_LARGE`, async () => {
        const channel = freshChannel();
        const socket = await seated(channel);
        const { frame, data } = sized(channel, character, MAX);
        socket.send(frame);
        await gets(socket, [message(channel, "", data, here.users.owner, "owner")]);
        socket.send(sized(channel, character, MAX + 1).frame);
        await gets(socket, TOO_LARGE);
        await still(socket, channel);
      });
    }

    it("numbers count as they are passed on, which may be longer than they were sent", async () => {
      const channel = freshChannel();
      const socket = await seated(channel);
      socket.send(`{"type":"publish","channel":"${channel}","data":[${"1e20,".repeat(1_000)}0]}`);
      await gets(socket, [failure("MESSAGE_TOO_LARGE", { channel })]);
      await still(socket, channel);
    });

    it("white space counts", async () => {
      const channel = freshChannel();
      const socket = await seated(channel);
      const frame = JSON.stringify({ type: "publish", channel });
      socket.send(frame.padEnd(MAX));
      await gets(socket, [message(channel, "", null, here.users.owner, "owner")]);
      for (const padded of [frame.padEnd(MAX + 1), frame.padStart(MAX + 1), " ".repeat(MAX + 1)])
        socket.send(padded);
      await gets(socket, [...TOO_LARGE, ...TOO_LARGE, ...TOO_LARGE]);
    });

    it("the size is checked before everything else", async () => {
      const channel = freshChannel();
      const socket = await seated(channel);
      const frames = [
        "{".repeat(MAX + 1),
        "[".repeat(MAX + 1),
        Buffer.alloc(MAX + 1),
        Buffer.from(sized(channel, "a", MAX + 1).frame),
        JSON.stringify({ type: "nope", data: "a".repeat(MAX) }),
        JSON.stringify({ type: "subscribe", channel: "c".repeat(MAX) }),
      ];
      for (const frame of frames) socket.send(frame);
      await gets(
        socket,
        frames.map(() => failure("MESSAGE_TOO_LARGE")),
      );
      await still(socket, channel);
    });

    it("a binary frame of 16,384 bytes is INVALID_FRAME with any content", async () => {
      const channel = freshChannel();
      const socket = await seated(channel);
      socket.send(Buffer.from(sized(channel, "a", MAX).frame));
      await gets(socket, [failure("INVALID_FRAME")]);
    });

    it("fragments count together", async () => {
      const channel = freshChannel();
      const socket = await seated(channel);
      for (const fragments of [2, 100]) {
        const { frame, data } = sized(channel, "😀", MAX);
        socket.sendText(Buffer.from(frame), fragments);
        await gets(socket, [message(channel, "", data, here.users.owner, "owner")]);
        socket.sendText(Buffer.from(sized(channel, "😀", MAX + 1).frame), fragments);
        await gets(socket, TOO_LARGE);
      }
    });

    it("131,072 bytes leave the connection open; more ends it: MESSAGE_TOO_LARGE, then 1009", async () => {
      const channel = freshChannel();
      const socket = await seated(channel);
      socket.send("a".repeat(CAP));
      await gets(socket, TOO_LARGE);
      socket.send("a".repeat(CAP + 1));
      const { code, frames } = await socket.end();
      assert.equal(code, 1009);
      are(frames, TOO_LARGE);
    });

    it("no frame that was too large has reached anybody", async () => {
      const channel = freshChannel();
      const [socket, witness] = [await seated(channel), await seated(channel)];
      for (const bytes of [MAX + 1, 2 * MAX, CAP]) socket.send(sized(channel, "a", bytes).frame);
      await gets(socket, [...TOO_LARGE, ...TOO_LARGE, ...TOO_LARGE]);
      await still(socket, channel, "the first");
      await gets(witness, [message(channel, "", "the first", here.users.owner, "owner")]);
    });
  });
}

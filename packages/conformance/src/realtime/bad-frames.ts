import { after, before, describe, it } from "node:test";
import type { Json } from "@easel/protocol/types";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { enter, failure, gets, message } from "./frame.ts";
import { line } from "./line.ts";
import { freshChannel, type Room, room } from "./room.ts";
import type { Socket } from "./socket.ts";

/** Frames that are not JSON objects. */
const NO_OBJECTS: [name: string, frame: string | Buffer][] = [
  ["nothing", ""],
  ["white space", " \n"],
  ["a word", "subscribe"],
  ["half an object", '{"type":"presence","channel":"c"'],
  ["an object and more", '{"type":"presence","channel":"c"}}'],
  ["two objects", '{"type":"presence","channel":"c"}{"type":"presence","channel":"c"}'],
  ["single quotes", "{'type':'presence','channel':'c'}"],
  ["a comma too many", '{"type":"presence","channel":"c",}'],
  ["a comment", '{"type":"presence","channel":"c"} // c'],
  ["a NUL behind it", '{"type":"presence","channel":"c"}\0'],
  ["null", "null"],
  ["true", "true"],
  ["a number", "1"],
  ["a text", '"subscribe"'],
  ["an array", "[]"],
  ["an array of frames", '[{"type":"presence","channel":"c"}]'],
  ["an array like an object", '["type","presence","channel","c"]'],
  ["a form", "type=presence&channel=c"],
  ["a binary frame", Buffer.from('{"type":"presence","channel":"c"}')],
  ["an empty binary frame", Buffer.alloc(0)],
  ["bytes", Buffer.from([0xff, 0xfe, 0x00])],
];

/** Invalid values of the field `type` of a frame. */
const UNKNOWN: Json[] = [
  null,
  true,
  0,
  1,
  "",
  " ",
  [],
  ["subscribe"],
  {},
  { type: "subscribe" },
  "nope",
  "Subscribe",
  "SUBSCRIBE",
  "subscribe ",
  "subscribe\0",
  "subscribed",
  "message",
  "join",
  "leave",
  "error",
  "watching",
  "change",
  "resync",
  "ping",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "t".repeat(10_000),
];

/** Invalid channel names. */
const NO_CHANNELS: Json[] = [null, true, false, 0, 1, "", [], ["c"], {}, { channel: "c" }];

/** Invalid event names. */
const NO_EVENTS: Json[] = [null, true, 0, 1, [], ["e"], {}];

/** Tests invalid frames: they get an error frame, and the connection stays open. */
export function badFrames(target: Target): void {
  describe("invalid frames", () => {
    const dial = line(target, after);
    const channel = freshChannel();
    let here: Room;
    let socket: Socket;
    before(async () => {
      here = await room(target);
      socket = await dial(here, here.people.owner);
      await enter(socket, channel);
    });
    const fails = async (frame: object | string | Buffer, ...error: Parameters<typeof failure>) => {
      socket.send(frame);
      await gets(socket, [failure(...error)]);
    };

    for (const [name, frame] of NO_OBJECTS) it(`${name}: INVALID_FRAME`, () => fails(frame, "INVALID_FRAME"));

    it("no type: UNKNOWN_FRAME", async () => {
      await fails({}, "UNKNOWN_FRAME");
      await fails({ channel }, "UNKNOWN_FRAME", { channel });
      await fails('{"__proto__":{"type":"presence","channel":"c"}}', "UNKNOWN_FRAME");
      await fails('{"constructor":{"prototype":{"type":"presence"}}}', "UNKNOWN_FRAME");
      await fails({ Type: "presence", TYPE: "presence" }, "UNKNOWN_FRAME");
    });

    for (const type of UNKNOWN) {
      it(`type ${JSON.stringify(type).slice(0, 30)}: UNKNOWN_FRAME with any other fields`, async () => {
        await fails({ type }, "UNKNOWN_FRAME");
        await fails({ type, channel }, "UNKNOWN_FRAME", { channel });
        await fails({ type, channel: 1, event: 1 }, "UNKNOWN_FRAME");
        await fails({ type, channel: "c".repeat(200) }, "UNKNOWN_FRAME");
      });
    }

    for (const type of ["subscribe", "unsubscribe", "publish", "presence"]) {
      it(`${type} without a channel, or with an invalid one: INVALID_FRAME`, async () => {
        await fails({ type }, "INVALID_FRAME");
        await fails({ type, Channel: channel, event: "e", data: 1 }, "INVALID_FRAME");
        await fails(`{"type":"${type}","__proto__":{"channel":"c"}}`, "INVALID_FRAME");
        for (const none of NO_CHANNELS) await fails({ type, channel: none }, "INVALID_FRAME");
      });
    }

    it("publish with an invalid event: INVALID_FRAME", async () => {
      for (const event of NO_EVENTS)
        await fails({ type: "publish", channel, event }, "INVALID_FRAME", { channel });
    });

    it("a field of the wrong type is reported before a name that is too long", async () => {
      const long = "c".repeat(129);
      await fails({ type: "publish", channel: long, event: 1 }, "INVALID_FRAME");
      await fails({ type: "publish", channel: long, event: "e" }, "CHANNEL_NAME_TOO_LARGE");
    });

    it("other fields are ignored", async () => {
      const noise = {
        event: 1,
        data: { a: 1 },
        users: 1,
        code: "x",
        id: null,
        resource: 7,
        prefix: [],
        name: {},
      };
      const { owner } = here.users;
      socket.send({ ...noise, type: "presence", channel });
      same(await socket.next(), { type: "presence", channel, users: [owner] });
      socket.send({ ...noise, event: "e", type: "publish", channel });
      same(await socket.next(), message(channel, "e", { a: 1 }, owner, "owner"));
    });

    it("a thousand bad frames at once have a thousand answers, and the connection stays", async () => {
      const frames = Array.from({ length: 1_000 }, (_, turn) => (turn % 2 === 0 ? "{" : '{"type":"nope"}'));
      for (const frame of frames) socket.send(frame);
      await gets(
        socket,
        frames.map((frame) => failure(frame === "{" ? "INVALID_FRAME" : "UNKNOWN_FRAME")),
      );
    });
  });
}

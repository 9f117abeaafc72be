import assert from "node:assert/strict";
import type { ErrorCode } from "@easel/protocol/errors";
import type { CanvasRole, Json } from "@easel/protocol/types";
import { same } from "../same.ts";
import type { User } from "./room.ts";
import type { Frame, Socket } from "./socket.ts";

/** The error codes of section 6, besides those that frames share with HTTP. */
export type FrameCode =
  | ErrorCode
  | "MESSAGE_TOO_LARGE"
  | "INVALID_FRAME"
  | "CHANNEL_NAME_TOO_LARGE"
  | "CHANNEL_LIMIT"
  | "UNKNOWN_FRAME";

/** To what an error belongs: a channel, a watch, or nothing in particular. */
export type About = Record<string, Json>;

export const subscribed = (channel: string): Frame => ({ type: "subscribed", channel });
export const presence = (channel: string, users: User[]): Frame => ({ type: "presence", channel, users });
export const join = (channel: string, user: User): Frame => ({ type: "join", channel, user });
export const leave = (channel: string, user: User): Frame => ({ type: "leave", channel, user });

/** A message as its subscribers get it. */
export function message(
  channel: string,
  event: string,
  data: Json,
  from: User,
  canvasRole: CanvasRole,
): Frame {
  return { type: "message", channel, event, data, from: { ...from, canvasRole } };
}

/** An error without its words. */
export const failure = (code: FrameCode, about: About = {}): Frame => ({ type: "error", code, ...about });

/** These frames, and none besides: their fields in order; of an error the words may be any. */
export function are(frames: Frame[], expected: Frame[]): void {
  same(frames.map(wordless), expected);
}

/** The next frames of a socket are these, and they are all that comes. */
export async function gets(socket: Socket, expected: Frame[]): Promise<void> {
  are(await socket.take(expected.length), expected);
  are(await socket.settled(), []);
}

/** Puts a socket on a channel; gives who is there. */
export function enter(socket: Socket, channel: string): Promise<Json> {
  socket.send({ type: "subscribe", channel });
  return entered(socket, channel);
}

/** The next two frames put a socket on a channel; gives who is there. */
export async function entered(socket: Socket, channel: string): Promise<Json> {
  const [first, second] = await socket.take(2);
  same(first, subscribed(channel));
  same(second, { type: "presence", channel, users: second?.users ?? null });
  return second?.users ?? null;
}

/** An error has its words right behind its code. */
function wordless(frame: Frame): Frame {
  if (frame.type !== "error") return frame;
  const [type, code, words, ...about] = Object.entries(frame);
  assert.deepEqual([type?.[0], code?.[0], words?.[0]], ["type", "code", "message"], JSON.stringify(frame));
  assert.ok(typeof words?.[1] === "string" && words[1] !== "", JSON.stringify(frame));
  return { type: "error", ...Object.fromEntries([code ?? [], ...about]) };
}

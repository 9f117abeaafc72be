import assert from "node:assert/strict";
import type { ErrorCode } from "@easel/protocol/errors";
import type { CanvasRole, Json } from "@easel/protocol/types";
import { same } from "../same.ts";
import type { User } from "./room.ts";
import type { Frame, Socket } from "./socket.ts";

/** The codes of error frames (specification 6): those of HTTP errors, and some that only frames have. */
export type FrameCode =
  | ErrorCode
  | "MESSAGE_TOO_LARGE"
  | "INVALID_FRAME"
  | "CHANNEL_NAME_TOO_LARGE"
  | "CHANNEL_LIMIT"
  | "UNKNOWN_FRAME";

/**
 * The fields by which an error frame names the channel or the watch that failed, such as `{ channel: "pens" }`. Empty if the error concerns
 * neither.
 */
export type About = Record<string, Json>;

export const subscribed = (channel: string): Frame => ({ type: "subscribed", channel });
export const presence = (channel: string, users: User[]): Frame => ({ type: "presence", channel, users });
export const join = (channel: string, user: User): Frame => ({ type: "join", channel, user });
export const leave = (channel: string, user: User): Frame => ({ type: "leave", channel, user });

/** Returns the frame that the subscribers of a channel receive for a published message. */
export function message(
  channel: string,
  event: string,
  data: Json,
  from: User,
  canvasRole: CanvasRole,
): Frame {
  return { type: "message", channel, event, data, from: { ...from, canvasRole } };
}

/** Returns an error frame without its field `message`. */
export const failure = (code: FrameCode, about: About = {}): Frame => ({ type: "error", code, ...about });

/**
 * Asserts that `frames` equals `expected`, including the order of frames and of their fields. The `message` of an error frame may be any
 * text.
 */
export function are(frames: Frame[], expected: Frame[]): void {
  same(frames.map(wordless), expected);
}

/** Asserts that the next frames of a socket are these, and that no others follow. */
export async function gets(socket: Socket, expected: Frame[]): Promise<void> {
  are(await socket.take(expected.length), expected);
  are(await socket.settled(), []);
}

/** Subscribes a socket to a channel and returns the list of the people who are present in it. */
export function enter(socket: Socket, channel: string): Promise<Json> {
  socket.send({ type: "subscribe", channel });
  return entered(socket, channel);
}

/**
 * Asserts that the next two frames are the confirmation of a subscription and the presence in the channel. Returns the list of the people
 * who are present.
 */
export async function entered(socket: Socket, channel: string): Promise<Json> {
  const [first, second] = await socket.take(2);
  same(first, subscribed(channel));
  same(second, { type: "presence", channel, users: second?.users ?? null });
  return second?.users ?? null;
}

/** Removes the field `message` from an error frame. Asserts that the field comes after `code` and is not empty. */
function wordless(frame: Frame): Frame {
  if (frame.type !== "error") return frame;
  const [type, code, words, ...about] = Object.entries(frame);
  assert.deepEqual([type?.[0], code?.[0], words?.[0]], ["type", "code", "message"], JSON.stringify(frame));
  assert.ok(typeof words?.[1] === "string" && words[1] !== "", JSON.stringify(frame));
  return { type: "error", ...Object.fromEntries([code ?? [], ...about]) };
}

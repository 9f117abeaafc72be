import type { FrameErrorCode, Member, Sender } from "@easel/protocol/realtime";
import { CHANNEL_NAME_BYTES, FRAME_BYTES } from "@easel/protocol/realtime-constants";
import type { Json } from "@easel/protocol/types";
import { EaselError, errorOf, invalid } from "../errors.ts";
import { jsonOf } from "../value.ts";

/** What the service says of a channel (specification 6). */
export type ChannelFrame =
  | { type: "subscribed"; channel: string }
  | { type: "presence"; channel: string; users: Member[] }
  | { type: "join" | "leave"; channel: string; user: Member }
  | { type: "message"; channel: string; event: string; data: Json; from: Sender };

/** What the service says of a watch; a change has the key or the id, everything else the name or the prefix. */
export type WatchFrame = { resource: string; name?: string; prefix?: string } & (
  | { type: "watching" | "resync" }
  | { type: "change"; op: "set" | "delete"; key?: string; id?: string }
);

/** Why the service refuses something, and of what: a channel, a watch, or neither. */
export interface ErrorFrame {
  type: "error";
  code: FrameErrorCode;
  message: string;
  channel?: string;
  resource?: string;
  name?: string;
  prefix?: string;
}

/** Everything that the service sends. */
export type ServerFrame = ChannelFrame | WatchFrame | ErrorFrame;

const bytes = (text: string) => new TextEncoder().encode(text).length;
const refused = (code: FrameErrorCode, message: string) => new EaselError({ status: 400, code, message });

/** A frame as it is sent; throws what the service would refuse: no JSON, or over 16 KiB. */
export function encode(frame: object): string {
  const text = jsonOf(frame);
  if (bytes(text) > FRAME_BYTES)
    throw refused("MESSAGE_TOO_LARGE", `A message is at most ${FRAME_BYTES / 1024} KiB.`);
  return text;
}

/** The name of a channel as it is; throws where it is none: a text of 1 to 128 bytes. */
export function channelName(name: string): string {
  if (typeof name !== "string" || name === "") throw invalid("The name of a channel is a text, not empty.");
  if (bytes(name) > CHANNEL_NAME_BYTES)
    throw refused("CHANNEL_NAME_TOO_LARGE", `The name of a channel is at most ${CHANNEL_NAME_BYTES} bytes.`);
  return name;
}

/** Refusals that HTTP has a status for; everything else is 400 (specification 7). */
const STATUS: { [code in FrameErrorCode]?: number } = {
  PERMISSION_DENIED: 403,
  CAPABILITY_DISABLED: 403,
  COLLECTION_NOT_CONFIGURED: 404,
};

/** The error that an `error` frame stands for. */
export function refusalOf(frame: ErrorFrame): EaselError {
  return errorOf(STATUS[frame.code] ?? 400, frame);
}

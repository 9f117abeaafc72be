import type { FrameErrorCode, Member, Sender } from "@easel/protocol/realtime";
import { CHANNEL_NAME_BYTES, FRAME_BYTES } from "@easel/protocol/realtime-constants";
import type { Json } from "@easel/protocol/types";
import type { CollectionRecord } from "../collections.ts";
import { EaselError, invalid, toError } from "../errors.ts";
import { requireJson, toJson } from "../value.ts";

/** Frames from the service about a channel (specification 6). */
export type ChannelFrame =
  | { type: "subscribed"; channel: string }
  | { type: "presence"; channel: string; users: Member[] }
  | { type: "join" | "leave"; channel: string; user: Member }
  | { type: "message"; channel: string; event: string; data: Json; from: Sender };

/**
 * Frames from the service about a watch. `resource` is `kv`, `kv.user`, `collection` or `files`. A `change` frame says what has changed: a
 * `key`, a record by its `name` (of the collection) and `id`, or a file by its `scope` and `id`. It has the new `value` of the key, or the
 * new `record`, if that is small. The other frames repeat the `prefix` or `name` of the watch.
 */
export type WatchFrame = { resource: string; name?: string; prefix?: string } & (
  | { type: "watching" | "resync" }
  | {
      type: "change";
      op: "set" | "delete";
      key?: string;
      id?: string;
      scope?: string;
      value?: Json;
      record?: CollectionRecord;
    }
);

/** A frame in which the service refuses a frame of the page. It names the channel or the watch, if the refused frame had one. */
export interface ErrorFrame {
  type: "error";
  code: FrameErrorCode;
  message: string;
  channel?: string;
  resource?: string;
  name?: string;
  prefix?: string;
}

/** Any frame from the service. */
export type ServerFrame = ChannelFrame | WatchFrame | ErrorFrame;

/** Returns the number of bytes of a text in UTF-8. */
export const bytes = (text: string) => new TextEncoder().encode(text).length;
const refused = (code: FrameErrorCode, message: string) => new EaselError({ status: 400, code, message });

/** Returns the text of a frame unchanged. Throws if it is too large for the service. */
export function requireSize(text: string): string {
  if (bytes(text) > FRAME_BYTES)
    throw refused("MESSAGE_TOO_LARGE", `A message is at most ${FRAME_BYTES / 1024} KiB.`);
  return text;
}

/** Encodes a frame as JSON. Throws if it cannot be encoded or is too large for the service. */
export const encode = (frame: object): string => requireSize(toJson(frame));

/** Returns the JSON text of a `publish` frame. Throws if `event` is not a string, `data` is not JSON or the frame is too large. */
export function publishFrame(channel: string, event: string, data?: Json): string {
  if (typeof event !== "string") throw invalid("The event of a message must be a string.");
  return encode({
    type: "publish",
    channel,
    event,
    data: data === undefined ? data : requireJson(data),
  });
}

/** Returns `name` unchanged if it is valid as the name of a channel. Throws if it is not a string of 1 to 128 bytes. */
export function channelName(name: string): string {
  if (typeof name !== "string" || name === "")
    throw invalid("The name of a channel must be a string that is not empty.");
  if (bytes(name) > CHANNEL_NAME_BYTES)
    throw refused("CHANNEL_NAME_TOO_LARGE", `The name of a channel is at most ${CHANNEL_NAME_BYTES} bytes.`);
  return name;
}

/** The HTTP status that corresponds to the code of an `error` frame; 400 for codes that are not listed (specification 7). */
const STATUS: { [code in FrameErrorCode]?: number } = {
  PERMISSION_DENIED: 403,
  CAPABILITY_DISABLED: 403,
  COLLECTION_NOT_CONFIGURED: 404,
};

/** Converts an `error` frame to the error that the page gets. */
export function toFrameError(frame: ErrorFrame): EaselError {
  return toError(STATUS[frame.code] ?? 400, frame);
}

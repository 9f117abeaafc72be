import { LIMITS } from "@easel/protocol/limits";
import { FRAME_ERRORS, type FrameErrorCode, type WatchTarget } from "@easel/protocol/realtime";
import type { Json } from "@easel/protocol/types";
import { parseJson } from "../../http/body.ts";

/** A frame of a client (specification 4.7; `watch` and `unwatch` are this service's own). */
export type ClientFrame =
  | { type: "subscribe" | "unsubscribe" | "presence"; channel: string }
  | { type: "publish"; channel: string; event: string; data: Json }
  | { type: "watch"; target: WatchTarget; resume: boolean }
  | { type: "unwatch"; target: WatchTarget };

/** What an error is about, where that can be told. */
export type About = { channel: string } | WatchTarget | Record<never, never>;

/** A frame that is refused. */
export interface Refused {
  code: FrameErrorCode;
  about: About;
}

type Fields = { [name: string]: Json };

/** The channel of a frame; null when it names none. */
const channelOf = ({ channel }: Fields): string | null =>
  typeof channel === "string" && channel !== "" ? channel : null;

const onChannel =
  (type: "subscribe" | "unsubscribe" | "presence") =>
  (fields: Fields): ClientFrame | null => {
    const channel = channelOf(fields);
    return channel === null ? null : { type, channel };
  };

/** What a frame watches; null when it is nothing that can be watched. */
function targetOf({ resource, name, prefix = "" }: Fields): WatchTarget | null {
  if (resource === "collection") return typeof name === "string" && name !== "" ? { resource, name } : null;
  return (resource === "kv" || resource === "kv.user") && typeof prefix === "string"
    ? { resource, prefix }
    : null;
}

/** What each type of frame is made of; null for one that lacks something. */
const READERS: Record<ClientFrame["type"], (fields: Fields) => ClientFrame | null> = {
  subscribe: onChannel("subscribe"),
  unsubscribe: onChannel("unsubscribe"),
  presence: onChannel("presence"),
  publish(fields) {
    const channel = channelOf(fields);
    const { event = "", data = null } = fields;
    return channel === null || typeof event !== "string" ? null : { type: "publish", channel, event, data };
  },
  watch(fields) {
    const target = targetOf(fields);
    const { resume = false } = fields;
    return target === null || typeof resume !== "boolean" ? null : { type: "watch", target, resume };
  },
  unwatch(fields) {
    const target = targetOf(fields);
    return target && { type: "unwatch", target };
  },
};

const tooLong = (channel: string) => Buffer.byteLength(channel) > LIMITS.channelNameBytes.value;

/** The object that a frame holds; null when it holds anything else. */
function fieldsIn(bytes: Buffer): Fields | null {
  try {
    const value = parseJson(bytes);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** What a client says. The name of a channel may still be too long: whoever meters frames looks at it afterwards. */
export function readFrame(bytes: Buffer, isBinary: boolean): ClientFrame | Refused {
  if (bytes.length > LIMITS.frameBytes.value) return { code: "MESSAGE_TOO_LARGE", about: {} };
  const fields = isBinary ? null : fieldsIn(bytes);
  if (fields === null) return { code: "INVALID_FRAME", about: {} };
  const { type } = fields;
  const known = typeof type === "string" && Object.hasOwn(READERS, type);
  const frame = known ? READERS[type as ClientFrame["type"]](fields) : null;
  if (frame !== null) return frame;
  const channel = channelOf(fields);
  const about = channel === null || tooLong(channel) ? {} : { channel };
  return { code: known ? "INVALID_FRAME" : "UNKNOWN_FRAME", about };
}

/** What a frame is about, for errors; a channel with too long a name is not said again. */
export function aboutOf(frame: ClientFrame): About {
  if ("target" in frame) return frame.target;
  return tooLong(frame.channel) ? {} : { channel: frame.channel };
}

/** Whether the name of a frame's channel is too long. */
export const namesTooLong = (frame: ClientFrame): boolean => "channel" in frame && tooLong(frame.channel);

/** The text of an `error` frame. */
export const errorFrame = (code: FrameErrorCode, about: About): string =>
  JSON.stringify({ type: "error", code, message: FRAME_ERRORS[code], ...about });

import { LIMITS } from "@easel/protocol/limits";
import { FRAME_ERRORS, type FrameErrorCode, type WatchTarget } from "@easel/protocol/realtime";
import type { Json } from "@easel/protocol/types";
import { parseJson } from "../../http/body.ts";

/** A parsed frame from a client (specification 4.7). The service adds `watch` and `unwatch`, which are not in the specification. */
export type ClientFrame =
  | { type: "subscribe" | "unsubscribe" | "presence"; channel: string }
  | { type: "publish"; channel: string; event: string; data: Json }
  | { type: "watch"; target: WatchTarget; resume: boolean }
  | { type: "unwatch"; target: WatchTarget };

/** The channel or watch that an `error` frame is about; an empty object if that is unknown. */
export type ErrorSubject = { channel: string } | WatchTarget | Record<never, never>;

/** The error that a client gets for a frame that cannot be parsed. */
export interface InvalidFrame {
  code: FrameErrorCode;
  subject: ErrorSubject;
}

type Fields = { [name: string]: Json };

/** Returns the name of the channel in a frame, or null if the frame has none. */
const channelOf = ({ channel }: Fields): string | null =>
  typeof channel === "string" && channel !== "" ? channel : null;

const onChannel =
  (type: "subscribe" | "unsubscribe" | "presence") =>
  (fields: Fields): ClientFrame | null => {
    const channel = channelOf(fields);
    return channel === null ? null : { type, channel };
  };

/** Returns the target of a `watch` or `unwatch` frame, or null if its fields describe no valid target. */
function targetOf({ resource, name, prefix = "" }: Fields): WatchTarget | null {
  if (resource === "collection") return typeof name === "string" && name !== "" ? { resource, name } : null;
  if (resource === "files") return { resource };
  return (resource === "kv" || resource === "kv.user") && typeof prefix === "string"
    ? { resource, prefix }
    : null;
}

/** The parsers of frame fields, keyed by frame type. A parser returns null if a field is missing or has the wrong type. */
const PARSERS: Record<ClientFrame["type"], (fields: Fields) => ClientFrame | null> = {
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

const isTooLong = (channel: string) => Buffer.byteLength(channel) > LIMITS.channelNameBytes.value;

/** Parses bytes as a JSON object. Returns null for anything else. */
function parseFields(bytes: Buffer): Fields | null {
  try {
    const value = parseJson(bytes);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Parses a frame from a client. Does not check the length of the channel name: `isNameTooLong` checks it, after the rate limit. */
export function parseFrame(bytes: Buffer, isBinary: boolean): ClientFrame | InvalidFrame {
  if (bytes.length > LIMITS.frameBytes.value) return { code: "MESSAGE_TOO_LARGE", subject: {} };
  const fields = isBinary ? null : parseFields(bytes);
  if (fields === null) return { code: "INVALID_FRAME", subject: {} };
  const { type } = fields;
  const known = typeof type === "string" && Object.hasOwn(PARSERS, type);
  const frame = known ? PARSERS[type as ClientFrame["type"]](fields) : null;
  if (frame !== null) return frame;
  const channel = channelOf(fields);
  const subject = channel === null || isTooLong(channel) ? {} : { channel };
  return { code: known ? "INVALID_FRAME" : "UNKNOWN_FRAME", subject };
}

/**
 * Returns the channel or the watch target that a frame names, for use in an `error` frame. Returns an empty object if the name of the
 * channel is too long.
 */
export function subjectOf(frame: ClientFrame): ErrorSubject {
  if ("target" in frame) return frame.target;
  return isTooLong(frame.channel) ? {} : { channel: frame.channel };
}

/** Whether the name of a frame's channel is too long. */
export const isNameTooLong = (frame: ClientFrame): boolean => "channel" in frame && isTooLong(frame.channel);

/** Returns the text of an `error` frame. */
export const errorFrame = (code: FrameErrorCode, subject: ErrorSubject): string =>
  JSON.stringify({ type: "error", code, message: FRAME_ERRORS[code], ...subject });

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

/** The channel or watch that an `error` frame is about; empty when it is unknown. */
export type ErrorSubject = { channel: string } | WatchTarget | Record<never, never>;

/** A frame that cannot be parsed, as the error that it gets. */
export interface InvalidFrame {
  code: FrameErrorCode;
  subject: ErrorSubject;
}

type Fields = { [name: string]: Json };

/** The channel that a frame names. Null when it names none. */
const channelOf = ({ channel }: Fields): string | null =>
  typeof channel === "string" && channel !== "" ? channel : null;

const onChannel =
  (type: "subscribe" | "unsubscribe" | "presence") =>
  (fields: Fields): ClientFrame | null => {
    const channel = channelOf(fields);
    return channel === null ? null : { type, channel };
  };

/** The target of a `watch` or `unwatch` frame. Null when nothing like it can be watched. */
function targetOf({ resource, name, prefix = "" }: Fields): WatchTarget | null {
  if (resource === "collection") return typeof name === "string" && name !== "" ? { resource, name } : null;
  if (resource === "files") return { resource };
  return (resource === "kv" || resource === "kv.user") && typeof prefix === "string"
    ? { resource, prefix }
    : null;
}

/** Parses the fields of a frame by its type. Null when a field is missing or of the wrong type. */
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

/** Parses a JSON object. Null for anything else. */
function parseFields(bytes: Buffer): Fields | null {
  try {
    const value = parseJson(bytes);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Parses a frame of a client. The name of its channel may be too long: that is checked after the rate limit (`isNameTooLong`). */
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

/** The subject of errors about a frame. The name of a channel is left out when it is too long. */
export function subjectOf(frame: ClientFrame): ErrorSubject {
  if ("target" in frame) return frame.target;
  return isTooLong(frame.channel) ? {} : { channel: frame.channel };
}

/** Whether the name of a frame's channel is too long. */
export const isNameTooLong = (frame: ClientFrame): boolean => "channel" in frame && isTooLong(frame.channel);

/** Returns the text of an `error` frame. */
export const errorFrame = (code: FrameErrorCode, subject: ErrorSubject): string =>
  JSON.stringify({ type: "error", code, message: FRAME_ERRORS[code], ...subject });

import type { ChannelPolicy } from "./policy.ts";
import { ACCESS_LOST, CANVAS_FULL, REALTIME_OFF } from "./realtime-constants.ts";
import type { CanvasRole } from "./types.ts";

/** The codes of `error` frames (specification 6), with their messages for people. */
export const FRAME_ERRORS = {
  MESSAGE_TOO_LARGE: "A frame may be 16 KiB at the most.",
  INVALID_FRAME: "A frame is a JSON object with the fields of its type.",
  UNKNOWN_FRAME: "There is no frame of this type.",
  RATE_LIMITED: "Too many frames; try again in a moment.",
  CHANNEL_NAME_TOO_LARGE: "The name of a channel may be 128 bytes at the most.",
  CHANNEL_LIMIT: "A connection may be on 64 channels and watches at the most.",
  PERMISSION_DENIED: "Your role does not allow this here.",
  CAPABILITY_DISABLED: "This capability is switched off.",
  COLLECTION_NOT_CONFIGURED: "This collection has no policy.",
} as const;

/** Code of an `error` frame. */
export type FrameErrorCode = keyof typeof FRAME_ERRORS;

/**
 * The codes and reasons with which the service closes a WebSocket connection. `when` says in which situation it uses the code.
 * Specification 6 defines the codes, except 1008, 1009 and 1011.
 */
export const CLOSE_CODES = {
  shutdown: { code: 1001, reason: "shutdown", when: "the service stops" },
  flood: {
    code: 1008,
    reason: "flood",
    when: "the connection has exceeded its frame limits by 1,000 frames within a minute",
  },
  tooLarge: {
    code: 1009,
    reason: "",
    when: "a frame, with all its fragments, is larger than 128 KiB; an `error` frame `MESSAGE_TOO_LARGE` is sent first",
  },
  unchecked: {
    code: 1011,
    reason: "not checked",
    when: "access cannot be rechecked, for example because the database is away",
  },
  accessLost: {
    code: ACCESS_LOST,
    reason: "access lost",
    when: "access has ended: the canvas, the grant, the session or the user no longer exists or is no longer valid",
  },
  disabled: {
    code: REALTIME_OFF,
    reason: "realtime off",
    when: "realtime is off; an `error` frame `CAPABILITY_DISABLED` is sent first",
  },
  full: {
    code: CANVAS_FULL,
    reason: "canvas full",
    when: "the canvas already has as many open connections as `SERVICE_REALTIME_CONNECTIONS_PER_CANVAS` allows (30); the reason tells owner and editors who has them",
  },
  personFull: {
    code: CANVAS_FULL,
    reason: "too many connections of yours",
    when: "the person already has as many connections to the canvas as `SERVICE_REALTIME_CONNECTIONS_PER_PERSON` allows",
  },
} as const;

/** Policy of a channel that the policy document does not name (specification 5). */
export const DEFAULT_CHANNEL_POLICY: ChannelPolicy = {
  subscribe: "viewers",
  publish: "editors",
  seePresence: "viewers",
  participatePresence: "viewers",
};

/** The prefix of the names of channels on which everyone may publish by default. */
export const PARTICIPANT_PREFIX = "participants:";

/** A person on a channel. */
export interface Member {
  id: string;
  name: string;
}

/** The publisher of a message, as authenticated by the service. */
export interface Sender extends Member {
  canvasRole: CanvasRole;
}

/** What a watch observes: the keys of a KV scope that begin with `prefix`, a collection, or the files of the canvas. */
export type WatchTarget =
  | { resource: "kv" | "kv.user"; prefix: string }
  | { resource: "collection"; name: string }
  | { resource: "files" };

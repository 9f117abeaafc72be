import type { ChannelPolicy } from "./policy.ts";
import { ACCESS_LOST, CANVAS_FULL, REALTIME_OFF } from "./realtime-constants.ts";
import type { CanvasRole } from "./types.ts";

/** Why the service refuses a frame (specification 6): the code of an `error` frame, and what people read. */
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

/** The code of an `error` frame. */
export type FrameErrorCode = keyof typeof FRAME_ERRORS;

/** Why the service closes a connection (specification 6; 1008, 1009 and 1011 are this service's own). */
export const CLOSE_CODES = {
  shutdown: { code: 1001, reason: "shutdown", when: "the service stops" },
  flood: {
    code: 1008,
    reason: "flood",
    when: "a connection has sent 1,000 frames past a limit within a minute",
  },
  tooLarge: {
    code: 1009,
    reason: "",
    when: "a frame, or its fragments together, is larger than 128 KiB; an `error` frame `MESSAGE_TOO_LARGE` comes first",
  },
  unchecked: {
    code: 1011,
    reason: "not checked",
    when: "whether the visitor may still be here cannot be found out",
  },
  accessLost: {
    code: ACCESS_LOST,
    reason: "access lost",
    when: "the visitor may not be here any more: the canvas, the access, the session or the person is gone",
  },
  disabled: {
    code: REALTIME_OFF,
    reason: "realtime off",
    when: "realtime is off; an `error` frame `CAPABILITY_DISABLED` comes first",
  },
  full: { code: CANVAS_FULL, reason: "canvas full", when: "the canvas has 30 open connections already" },
} as const;

/** The rights on a channel that no policy names (specification 5); `publish` on those for participants is everyone's. */
export const OPEN_CHANNEL: ChannelPolicy = {
  subscribe: "viewers",
  publish: "editors",
  seePresence: "viewers",
  participatePresence: "viewers",
};

/** How the name of a channel begins on which everyone may publish, unless the policy says otherwise. */
export const PARTICIPANTS = "participants:";

/** Someone on a channel. */
export interface Member {
  id: string;
  name: string;
}

/** Who published a message, as the service itself found out. */
export interface Sender extends Member {
  canvasRole: CanvasRole;
}

/** What can be watched: a scope of KV from a prefix on, or a collection. */
export type WatchTarget =
  | { resource: "kv" | "kv.user"; prefix: string }
  | { resource: "collection"; name: string };

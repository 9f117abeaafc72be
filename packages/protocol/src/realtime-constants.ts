/**
 * Constants that the browser SDK uses too. They are defined outside the tables of limits and close codes, because importing a table would
 * add all its texts to the SDK.
 */

/** The largest realtime frame, in bytes (specification 8). */
export const FRAME_BYTES = 16 * 1024;

/** The longest name of a channel, in bytes of UTF-8 (specification 8). */
export const CHANNEL_NAME_BYTES = 128;

/** The messages that a connection may publish in a minute, unless the operator has changed that (specification 8). */
export const PUBLISHES_PER_MINUTE = 100;

/** The close code for a user who has lost access to the canvas. The client must not reconnect by itself (specification 6). */
export const ACCESS_LOST = 4401;
/** The close code for a canvas on which realtime is off. The client must not reconnect by itself. */
export const REALTIME_OFF = 4403;
/** The close code for a canvas that has too many connections. The client must not reconnect by itself. */
export const CANVAS_FULL = 4429;

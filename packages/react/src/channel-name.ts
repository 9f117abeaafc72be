import type { CanvasTypes } from "@easel/sdk";

/** The names of channels that the page has declared in `CanvasTypes`, which an editor completes, and any other string. */
export type ChannelName =
  | (CanvasTypes extends { channels: infer Channels } ? keyof Channels & string : never)
  | (string & Record<never, never>);

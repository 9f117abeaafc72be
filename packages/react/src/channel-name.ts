import type { CanvasTypes } from "@easel/sdk";

/** The name of a channel: any string. An editor suggests the names that the page has declared in `CanvasTypes`. */
export type ChannelName =
  | (CanvasTypes extends { channels: infer Channels } ? keyof Channels & string : never)
  | (string & Record<never, never>);

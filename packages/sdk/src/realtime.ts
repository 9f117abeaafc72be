import type { NameOf } from "./canvas-types.ts";
import { type Channel, createChannel } from "./realtime/channel.ts";
import type { Socket } from "./realtime/socket.ts";

/** Channels of a canvas. */
export interface Realtime {
  /**
   * Returns the channel with this name (1 to 128 bytes), without sending anything. Further calls with the name return the same object
   * until the channel is closed.
   * @example const pens = easel.realtime.channel("pens");
   */
  channel(name: NameOf<"channels">): Channel;
}

/** Creates `easel.realtime`. */
export function createRealtime(socket: Socket): Realtime {
  const channels = new Map<string, Channel>();

  return {
    channel(name) {
      const channel = channels.get(name) ?? createChannel(name, socket, () => channels.delete(name));
      channels.set(name, channel);
      return channel;
    },
  };
}

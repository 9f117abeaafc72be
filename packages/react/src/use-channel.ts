import type { EaselError, Json, Message } from "@easel/sdk";
import { useEffect } from "react";
import type { ChannelName } from "./channel-name.ts";
import { useStores } from "./easel-provider.ts";
import type { Handler, LiveChannel } from "./live-channel.ts";
import { useLatest } from "./use-latest.ts";
import { useStore } from "./use-store.ts";

/** The result of `useChannel`. The functions stay the same and never throw: their errors are in `error`. */
export interface ChannelResult extends Pick<LiveChannel, "publish" | "batch" | "latest"> {
  /** The last error of the channel. The next use of a function clears it. */
  error: EaselError | undefined;
}

/**
 * Calls the handler of the latest rendering with every message on a channel, and returns functions that publish. Without a handler, the
 * component does not subscribe.
 * @example const { publish } = useChannel("pens", ({ data, from }) => draw(from.id, data));
 */
export function useChannel<Data = Json>(
  name: ChannelName,
  handler?: (message: Message<Data>) => void,
): ChannelResult {
  const channel = useStores().channel(name);
  const { error } = useStore(channel);
  const latest = useLatest(handler);
  const isSubscriber = handler !== undefined;
  useEffect(() => {
    const receive: Handler = (message) => latest.current?.(message as Message<Data>);
    return isSubscriber ? channel.join(receive) : undefined;
  }, [channel, isSubscriber, latest]);
  return { error, publish: channel.publish, batch: channel.batch, latest: channel.latest };
}

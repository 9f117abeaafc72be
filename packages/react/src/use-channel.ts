import type { EaselError, Json, Message, NameOf } from "@easel/sdk";
import { useEffect } from "react";
import { useStores } from "./easel-provider.ts";
import type { Handler, LiveChannel } from "./live-channel.ts";
import { useLatest } from "./use-latest.ts";
import { useStore } from "./use-store.ts";

/** The result of `useChannel`. Each function is the same object in every rendering. None throws: an error is in `error`. */
export interface ChannelResult extends Pick<LiveChannel, "publish" | "batch" | "latest"> {
  /** The last error of the channel. The next call of a function clears it. */
  error: EaselError | undefined;
}

/**
 * Calls `handler` with every message on a channel, always the handler of the latest rendering. Returns functions that publish messages.
 * Without a handler, the component does not subscribe.
 * @example const { publish } = useChannel("pens", ({ data, from }) => draw(from.id, data));
 */
export function useChannel<Data = Json>(
  name: NameOf<"channels">,
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

import { FRAME_BYTES } from "@easel/protocol/realtime-constants";
import { requireJson, type Serializable, toJson } from "../value.ts";
import { bytes, publishFrame, requireSize } from "./frames.ts";
import type { Pacer, Source } from "./pacer.ts";
import { MAX_QUEUED, type Subscriber } from "./socket.ts";

/**
 * Publishes a value, now or later. Throws if the value is not JSON or is too large, if the page has closed the channel, or if the
 * connection has ended and will not be opened again.
 */
export type Gather = <Value>(value: Value & Serializable<Value>) => void;

/**
 * Creates the functions `batch` and `latest` of a channel. Each value calls `attach`, which may throw. Calls `onFull` when it drops a value
 * because `MAX_QUEUED` full messages wait already.
 */
export function createGather(
  channel: string,
  owner: Subscriber,
  pacer: Pacer,
  attach: () => void,
  onFull: () => void,
): { batch(event: string): Gather; latest(event: string, key?: string): Gather } {
  const known = new Map<string, Gather>();

  const create = (event: string, isBatch: boolean): Gather => {
    const head = `${publishFrame(channel, event).slice(0, -1)},"data":`;
    const contents: string[] = [];
    const frame = (content: string) => `${head + (isBatch ? `[${content}]` : content)}}`;
    const source: Source = { owner, contents, frame };

    return (value) => {
      const content = toJson(requireJson(value));
      requireSize(frame(content));
      attach();
      const last = contents.length - 1;
      const joined = isBatch ? `${contents[last]},${content}` : content;
      if (last >= 0 && bytes(frame(joined)) <= FRAME_BYTES) contents[last] = joined;
      else if (contents.length < MAX_QUEUED) contents.push(content);
      else onFull();
      pacer.add(source);
    };
  };

  /**
   * Returns the function for these arguments. The same arguments give the same function, so that a page may call `batch` for each value.
   */
  const gather = (isBatch: boolean, event: string, key?: string) => {
    const id = toJson([isBatch, event, key]);
    const found = known.get(id) ?? create(event, isBatch);
    known.set(id, found);
    return found;
  };

  return {
    batch: (event) => gather(true, event),
    latest: (event, key) => gather(false, event, key),
  };
}

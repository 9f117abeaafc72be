import { FRAME_BYTES } from "@easel/protocol/realtime-constants";
import { requireJson, type Serializable, toJson } from "../value.ts";
import { bytes, publishFrame, requireSize } from "./frames.ts";
import type { Pacer, Source } from "./pacer.ts";
import { MAX_QUEUED, type Subscriber } from "./socket.ts";

/** Takes a value to publish. Throws if the value is not JSON or is too large, or if the channel or the connection was closed for good. */
export type Gather = <Value>(value: Value & Serializable<Value>) => void;

/**
 * Creates the functions `batch` and `latest` of a channel. `attach` is called with each value, and may throw. `onFull` is called if a value
 * is dropped, because a batch holds as many full messages as may be queued.
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

  /** Returns the same function for the same arguments, so that a page may call `batch` for each value. */
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

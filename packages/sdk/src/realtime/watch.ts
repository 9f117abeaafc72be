import type { WatchTarget } from "@easel/protocol/realtime";
import type { Json } from "@easel/protocol/types";
import type { CollectionRecord } from "../collections.ts";
import type { EaselError } from "../errors.ts";
import { encode, toFrameError, type WatchFrame } from "./frames.ts";
import { createListeners, type Listener, report } from "./listeners.ts";
import type { Socket, Subscriber } from "./socket.ts";

/** The page may have missed changes and should read everything again. */
export type Resync = { op: "resync" };

/** A key was written or deleted, or the page should read all watched keys again. `set` has the new value, unless it is larger than 4 KiB. */
export type KvChange = { op: "set" | "delete"; key: string; value?: Json } | Resync;

/**
 * A record was created, updated or deleted, or the page should read all records again. `set` has the new record, unless it is larger than 4
 * KiB.
 */
export type RecordChange = { op: "set" | "delete"; id: string; record?: CollectionRecord } | Resync;

/** A file was uploaded, renamed or deleted, or the page should read all files again. `scope` is the file's scope, as in `FileRecord`. */
export type FileChange = { op: "set" | "delete"; id: string; scope: string } | Resync;

type Change = KvChange | RecordChange | FileChange;

/**
 * Calls `handler` on every change. An error ends the watch and goes to `onError`; without `onError` it is reported as uncaught. Returns a
 * function that stops the watch.
 */
export type Watch = (
  target: WatchTarget,
  handler: Listener<Change>,
  onError?: Listener<EaselError>,
) => () => void;

/** Creates the function that starts watches. Watches of the same target share one subscription. */
export function createWatch(socket: Socket): Watch {
  const feeds = new Map<string, ReturnType<typeof createFeed>>();

  return (target, handler, onError = report) => {
    const unwatchFrame = encode({ type: "unwatch", ...target });
    const existing = feeds.get(unwatchFrame);
    const feed = existing ?? createFeed(target, socket, unwatchFrame, () => feeds.delete(unwatchFrame));
    const stop = feed.add(handler, onError);
    if (!existing) {
      feed.start();
      feeds.set(unwatchFrame, feed);
    }
    return stop;
  };
}

/**
 * Creates the subscription that all watches of one target share. `onEnd` is called when the last of these watches stops, or when an error
 * ends the subscription.
 */
function createFeed(target: WatchTarget, socket: Socket, unwatchFrame: string, onEnd: () => void) {
  const { name, prefix }: { resource: string; name?: string; prefix?: string } = target;
  const changes = createListeners<Change>();
  const errors = createListeners<EaselError>();
  let running = false;
  /** Whether the service has confirmed the watch. If so, the SDK sends `resume` after a reconnect, and the service sends a resync. */
  let confirmed = false;

  const changeOf = (frame: WatchFrame & { type: "change" }): Change | undefined => {
    const { op, key, id, scope, value, record } = frame;
    if (id !== undefined && scope !== undefined) return { op, id, scope };
    if (id !== undefined) return frame.name === name ? { op, id, ...(record && { record }) } : undefined;
    if (prefix === undefined || !key?.startsWith(prefix)) return undefined;
    return { op, key, ...(value !== undefined && { value }) };
  };

  const failed = (error: EaselError) => {
    running = false;
    onEnd();
    socket.detach(subscriber);
    return () => errors.emit(error);
  };

  const watchFrame = () => encode({ type: "watch", ...target, ...(confirmed && { resume: true }) });

  const subscriber: Subscriber = {
    openingFrames: () => [watchFrame()],

    receive(frame) {
      if (!("resource" in frame) || frame.resource !== target.resource) return;
      if (frame.type === "change") {
        const change = changeOf(frame);
        if (change) changes.emit(change);
      } else if (frame.name === name && frame.prefix === prefix) {
        if (frame.type === "error") return failed(toFrameError(frame))();
        const first = !confirmed;
        confirmed = true;
        // The first confirmation is also a resync, because data that the page has read before it may be stale.
        if (frame.type === "resync" || first) changes.emit({ op: "resync" });
      }
    },

    disconnected() {},
    failed,
  };

  return {
    start() {
      socket.attach(subscriber, true);
      socket.send(watchFrame());
      running = true;
    },

    add(handler: Listener<Change>, onError: Listener<EaselError>) {
      const own = createListeners<Change>();
      const stops = [own.add(handler), errors.add(onError), changes.add(own.emit)];
      // Handlers that were added earlier got their resync when the watch was confirmed.
      if (confirmed) queueMicrotask(() => own.emit({ op: "resync" }));
      return () => {
        for (const stop of stops) stop();
        if (!running || changes.size > 0) return;
        running = false;
        socket.send(unwatchFrame);
        socket.detach(subscriber);
        onEnd();
      };
    },
  };
}

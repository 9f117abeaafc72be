import type { WatchTarget } from "@easel/protocol/realtime";
import type { Json } from "@easel/protocol/types";
import type { CollectionRecord } from "../collections.ts";
import type { EaselError } from "../errors.ts";
import { encode, toFrameError, type WatchFrame } from "./frames.ts";
import { createListeners, type Listener, report } from "./listeners.ts";
import type { Socket, Subscriber } from "./socket.ts";

/**
 * The page may have missed changes and should read everything again. `polled` is true while there is no connection: the SDK then asks for
 * that every half minute.
 */
export type Resync = { op: "resync"; polled?: true };

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

/** A resource that can be watched, without the prefix of keys: `name` is that of a collection. */
interface Resource {
  resource: WatchTarget["resource"];
  name?: string;
}

/** Watches data of the canvas. */
export interface Watch {
  /**
   * Calls `handler` on every change, and with `resync` at the start. Errors go to `onError`; without it they are reported as uncaught. If
   * there is no connection, the watch goes on with a `resync` every half minute and tries to connect again later. Any other error ends it.
   * Returns a function that stops the watch.
   */
  (target: WatchTarget, handler: Listener<Change>, onError?: Listener<EaselError>): () => void;
  /** Tells the watches of a resource what this page has written, if they have no connection by which the service tells them. */
  wrote(resource: Resource, change: Change): void;
}

/** A change for `Watch.wrote` that names no item: everything should be read again. */
export const POLLED: Resync = { op: "resync", polled: true };

/**
 * The time after which a watch without a connection calls its handlers for the first time, and after which a further watch of the target tries
 * to connect, in ms.
 */
const START_MS = 2_000;
/** The time between two calls of the handlers while there is no connection, in ms. */
const POLL_MS = 30_000;
/** The time after which a watch tries to connect again when the service has closed the connection, in ms. It doubles up to the maximum. */
const RETRY_MS = 60_000;
const MAX_RETRY_MS = 8 * RETRY_MS;

/** Creates the function that starts watches. Watches of the same target share one subscription. */
export function createWatch(socket: Socket): Watch {
  const feeds = new Map<string, ReturnType<typeof createFeed>>();

  const watch = (target: WatchTarget, handler: Listener<Change>, onError: Listener<EaselError> = report) => {
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

  return Object.assign(watch, {
    wrote(resource: Resource, change: Change) {
      for (const feed of feeds.values()) feed.wrote(resource, change);
    },
  });
}

/**
 * Creates the subscription that all watches of one target share. `onEnd` is called when the last of these watches stops, or when an error
 * ends the subscription.
 */
function createFeed(target: WatchTarget, socket: Socket, unwatchFrame: string, onEnd: () => void) {
  const { resource, name, prefix }: Resource & { prefix?: string } = target;
  const changes = createListeners<Change>();
  const errors = createListeners<EaselError>();
  let isRunning = false;
  /** Whether the service has confirmed the watch. If so, the SDK sends `resume` after a reconnect, and the service sends a resync. */
  let isConfirmed = false;
  /** Whether the service sends the changes at present. */
  let isLive = false;
  let failures = 0;
  let failedAt = 0;
  let pollTimer: Timer | undefined;
  let retryTimer: Timer | undefined;

  const poll = () => {
    changes.emit(POLLED);
    pollAfter(POLL_MS);
  };
  const pollAfter = (delay: number) => {
    clearTimeout(pollTimer);
    pollTimer = later(poll, delay);
  };

  const changeOf = (frame: WatchFrame & { type: "change" }): Change | undefined => {
    const { op, key, id, scope, value, record } = frame;
    if (id !== undefined && scope !== undefined) return { op, id, scope };
    if (id !== undefined) return frame.name === name ? { op, id, ...(record && { record }) } : undefined;
    if (prefix === undefined || !key?.startsWith(prefix)) return undefined;
    return { op, key, ...(value !== undefined && { value }) };
  };

  const end = () => {
    isRunning = isLive = false;
    clearTimeout(pollTimer);
    clearTimeout(retryTimer);
    socket.detach(subscriber);
    onEnd();
  };

  const watchFrame = () => encode({ type: "watch", ...target, ...(isConfirmed && { resume: true }) });

  const connect = () => {
    clearTimeout(retryTimer);
    socket.attach(subscriber, true);
    socket.send(watchFrame());
  };

  const confirmed = () => {
    isConfirmed = isLive = true;
    failures = 0;
    clearTimeout(pollTimer);
  };

  const subscriber: Subscriber = {
    openingFrames: () => [watchFrame()],

    receive(frame) {
      if (!("resource" in frame) || frame.resource !== resource) return;
      if (frame.type === "change") {
        const change = changeOf(frame);
        if (change) changes.emit(change);
      } else if (frame.name === name && frame.prefix === prefix) {
        if (frame.type === "error") {
          end();
          return errors.emit(toFrameError(frame));
        }
        const isFirst = !isConfirmed;
        confirmed();
        // The first confirmation is also a resync, because data that the page has read before it may be stale.
        if (frame.type === "resync" || isFirst) changes.emit({ op: "resync" });
      }
    },

    disconnected() {
      if (isLive) pollAfter(POLL_MS);
      isLive = false;
    },

    failed(error) {
      if (error.status === 401) {
        end();
        return () => errors.emit(error);
      }
      isLive = false;
      failedAt = Date.now();
      retryTimer = later(connect, Math.min(RETRY_MS * 2 ** failures++, MAX_RETRY_MS));
      if (failures > 1) return () => {};
      return () => {
        errors.emit(error);
        if (isRunning) poll();
      };
    },
  };

  return {
    start() {
      connect();
      isRunning = true;
      pollAfter(START_MS);
    },

    add(handler: Listener<Change>, onError: Listener<EaselError>) {
      const own = createListeners<Change>();
      const stops = [own.add(handler), errors.add(onError), changes.add(own.emit)];
      // Handlers that were added earlier got their resync when the watch was confirmed, or began to poll.
      if (isRunning && (isLive || failures > 0))
        queueMicrotask(() => own.emit(isLive ? { op: "resync" } : POLLED));
      // Somebody who starts a watch again, such as by a button, wants to know whether there is room now.
      if (failures > 0 && Date.now() > failedAt + START_MS) {
        failures = 0;
        connect();
      }
      return () => {
        for (const stop of stops) stop();
        if (!isRunning || changes.size > 0) return;
        socket.send(unwatchFrame);
        end();
      };
    },

    wrote(written: Resource, change: Change) {
      const isOther = written.resource !== resource || written.name !== name;
      if (isLive || isOther || ("key" in change && !change.key.startsWith(prefix ?? ""))) return;
      changes.emit(change);
    },
  };
}

type Timer = ReturnType<typeof setTimeout>;

/** Calls a function after a delay in ms. Outside browsers, the timer does not keep the process alive. */
function later(call: () => void, delay: number): Timer {
  const timer = setTimeout(call, delay);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

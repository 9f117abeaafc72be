import type { WatchTarget } from "@easel/protocol/realtime";
import type { EaselError } from "../errors.ts";
import { encode, refusalOf, type WatchFrame } from "./frames.ts";
import { createListeners, type Listener, report } from "./listeners.ts";
import type { Party, Socket } from "./socket.ts";

/** A change may have been missed: what was read before is to be read again. */
export type Resync = { op: "resync" };

/** A key was stored or removed, or read again. */
export type KvChange = { op: "set" | "delete"; key: string } | Resync;

/** A record was made, changed or removed, or read again. */
export type RecordChange = { op: "set" | "delete"; id: string } | Resync;

type Change = KvChange | RecordChange;

/** Tells `handler` of changes, and `onError`, or else the page, of the error that ends it; gives a function that stops. */
export type Watch = (
  target: WatchTarget,
  handler: Listener<Change>,
  onError?: Listener<EaselError>,
) => () => void;

/** The watches of a page; those of the same thing are one on the connection. */
export function createWatch(socket: Socket): Watch {
  const feeds = new Map<string, ReturnType<typeof createFeed>>();

  return (target, handler, onError = report) => {
    const end = encode({ type: "unwatch", ...target });
    const running = feeds.get(end);
    const feed = running ?? createFeed(target, socket, end, () => feeds.delete(end));
    const stop = feed.add(handler, onError);
    if (!running) {
      feed.begin();
      feeds.set(end, feed);
    }
    return stop;
  };
}

/** All watches of one thing; `end` is the frame that ends them, `ended` is called then. */
function createFeed(target: WatchTarget, socket: Socket, end: string, ended: () => void) {
  const { name, prefix }: { name?: string; prefix?: string } = target;
  const changes = createListeners<Change>();
  const errors = createListeners<EaselError>();
  let running = false;
  /** Whether the service has confirmed it once: from then on it says what may have been missed. */
  let known = false;

  const changeOf = (told: WatchFrame & { type: "change" }): Change | undefined => {
    const { op, key, id } = told;
    if (id !== undefined) return told.name === name ? { op, id } : undefined;
    return prefix !== undefined && key?.startsWith(prefix) ? { op, key } : undefined;
  };

  const over = (error: EaselError) => {
    running = false;
    ended();
    socket.leave(party);
    return () => errors.tell(error);
  };

  const greeting = () => encode({ type: "watch", ...target, ...(known && { resume: true }) });

  const party: Party = {
    greet: () => [greeting()],

    hear(told) {
      if (!("resource" in told) || told.resource !== target.resource) return;
      if (told.type === "change") {
        const change = changeOf(told);
        if (change) changes.tell(change);
      } else if (told.name === name && told.prefix === prefix) {
        if (told.type === "error") return over(refusalOf(told))();
        const first = !known;
        known = true;
        // What the page read before the watch stood may be old by now.
        if (told.type === "resync" || first) changes.tell({ op: "resync" });
      }
    },

    lost() {},
    over,
  };

  return {
    begin() {
      socket.join(party, true);
      socket.say(greeting());
      running = true;
    },

    add(handler: Listener<Change>, onError: Listener<EaselError>) {
      const own = createListeners<Change>();
      const stops = [own.add(handler), errors.add(onError), changes.add(own.tell)];
      // The others were told of it when the watch stood.
      if (known) queueMicrotask(() => own.tell({ op: "resync" }));
      return () => {
        for (const stop of stops) stop();
        if (!running || changes.size > 0) return;
        running = false;
        socket.say(end);
        socket.leave(party);
        ended();
      };
    },
  };
}

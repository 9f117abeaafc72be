import { PUBLISHES_PER_MINUTE } from "@easel/protocol/realtime-constants";
import type { Subscriber } from "./socket.ts";

/** Messages that wait to be published. A source sends one message per turn, the oldest first. */
export interface Source {
  readonly owner: Subscriber;
  /** The JSON text of the data of each message. */
  readonly contents: string[];
  /** Returns the frame of a message. */
  frame(content: string): string;
}

/** Spaces the messages of all sources on a connection, so that the service refuses none of them. */
export interface Pacer {
  /** Adds a source that has a message. If it waits already, it keeps its turn. */
  add(source: Source): void;
  /** Counts a message that is sent on the connection, by a source or directly by the page. */
  count(): void;
  /** Goes on after the connection has opened. */
  resume(): void;
  /** Sends the messages of `owner` at once, as far as the limit and the connection allow, and drops the rest. By default, of all owners. */
  end(owner?: Subscriber): void;
}

/**
 * The service counts the messages that arrive in a window of a minute. If the delay in the network changes, messages that were sent in more
 * than a minute can arrive in one window. So the SDK sends the messages of a minute in a minute and this margin.
 */
const WINDOW_MS = 65_000;
/** The window for messages that must not wait, with a smaller margin. */
const URGENT_WINDOW_MS = 61_000;
/** The time between two messages. */
const PACE_MS = WINDOW_MS / PUBLISHES_PER_MINUTE;

/** Creates a pacer. `send` sends a frame and calls `count`; it is called only while `isOpen` returns true. */
export function createPacer(isOpen: () => boolean, send: (text: string) => void): Pacer {
  /** The sources that have messages, in the order of their turns. */
  const waiting = new Set<Source>();
  /** The times of the last messages, oldest first: as many as the service allows in a minute. */
  const times: number[] = Array(PUBLISHES_PER_MINUTE).fill(Number.NEGATIVE_INFINITY);
  let isScheduled = false;

  /** Returns the time to wait before the next message: until `pace` after the newest, and `window` after the oldest in `times`. */
  const delay = (pace: number, window: number) => {
    const due = Math.max(Number(times.at(-1)) + pace, Number(times[0]) + window);
    return Math.max(0, due - performance.now());
  };

  const sendNext = (source: Source) => {
    // The next turn of the source comes after those of all others.
    waiting.delete(source);
    send(source.frame(source.contents.shift() as string));
    if (source.contents.length > 0) waiting.add(source);
  };

  const resume = () => {
    if (isScheduled || waiting.size === 0 || !isOpen()) return;
    isScheduled = true;
    setTimeout(run, delay(PACE_MS, WINDOW_MS));
  };

  const run = () => {
    isScheduled = false;
    const [source] = waiting;
    // The connection may be lost by now, or the page may have published a message itself.
    if (source && isOpen() && delay(PACE_MS, WINDOW_MS) === 0) sendNext(source);
    resume();
  };

  const flush = (owner?: Subscriber, isLast?: boolean) => {
    for (const source of [...waiting]) {
      if (owner && owner !== source.owner) continue;
      while (source.contents.length > 0 && isOpen() && delay(0, URGENT_WINDOW_MS) === 0) sendNext(source);
      if (isLast) source.contents.length = 0;
      if (isLast) waiting.delete(source);
    }
  };

  // Browsers slow down the timers of a hidden page, and may end it without another event.
  for (const type of ["pagehide", "visibilitychange"])
    (globalThis as Partial<EventTarget>).addEventListener?.(type, () => flush());

  return {
    add(source) {
      waiting.add(source);
      resume();
    },
    count() {
      times.push(performance.now());
      times.shift();
    },
    resume,
    end: (owner) => flush(owner, true),
  };
}

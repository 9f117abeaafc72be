import { PUBLISHES_PER_MINUTE } from "@easel/protocol/realtime-constants";

/** The messages of one function of `batch` or `latest` that wait to be published. A source sends one message per turn, the oldest first. */
export interface Source {
  /** The channel that the messages are for. */
  readonly owner: object;
  /** The `data` of each message, as JSON text. */
  readonly contents: string[];
  /** Returns the JSON text of the frame that publishes `content`, an element of `contents`. */
  frame(content: string): string;
}

/** Sends the messages of all sources with pauses between them, so that the service does not refuse any for its rate limit. */
export interface Pacer {
  /** Gives a source with a message a turn after the sources that wait. A source that waits already keeps its turn. */
  add(source: Source): void;
  /** Counts a message that is sent on the connection, by a source or directly by the page. */
  count(): void;
  /** Schedules the next message. Called when the connection has opened, because no message is sent while it is down. */
  resume(): void;
  /**
   * Sends the messages of the channel `owner` at once, as far as the rate limit and the connection allow, and drops the rest. Without
   * `owner`, does so for all channels.
   */
  end(owner?: object): void;
}

/**
 * The time in which the SDK sends at most `PUBLISHES_PER_MINUTE` messages. It is longer than the service's window of a minute, because
 * messages can arrive closer together than they were sent when the network becomes faster.
 */
const WINDOW_MS = 65_000;
/** The same time for messages that cannot wait, for example because the page is closing: only a second longer than a minute. */
const URGENT_WINDOW_MS = 61_000;
/** The time between two messages. */
const PACE_MS = WINDOW_MS / PUBLISHES_PER_MINUTE;

/** Creates a pacer. `send` sends a frame and calls `count`; it is called only while `isOpen` returns true. */
export function createPacer(isOpen: () => boolean, send: (text: string) => void): Pacer {
  /** The sources that have messages, in the order of their turns. */
  const waiting = new Set<Source>();
  /** The times at which the last 100 messages were sent, oldest first. The service allows as many in a minute. */
  const times: number[] = Array(PUBLISHES_PER_MINUTE).fill(Number.NEGATIVE_INFINITY);
  let isScheduled = false;

  /**
   * Returns how many milliseconds to wait before the next message. It must be sent at least `pace` after the newest time in `times`, and at
   * least `window` after the oldest.
   */
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

  const flush = (owner?: object, isLast?: boolean) => {
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

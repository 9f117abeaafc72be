import { ACCESS_LOST, CANVAS_FULL, REALTIME_OFF } from "@easel/protocol/realtime-constants";
import { type EaselError, toError } from "../errors.ts";
import { backoff, MAX_DELAY_MS, type ScheduleReconnect, scheduleReconnect } from "./backoff.ts";
import { type ErrorFrame, type ServerFrame, toFrameError } from "./frames.ts";
import { report } from "./listeners.ts";
import { createPacer, type Pacer } from "./pacer.ts";

/** A channel or a watch that shares the connection of the page. */
export interface Subscriber {
  /** Returns the frames to send when a connection opens. */
  openingFrames(): string[];
  /** Receives every frame of the service, including those for other subscribers. */
  receive(frame: ServerFrame): void;
  /** Called when the connection is lost and the SDK will reconnect. */
  disconnected(): void;
  /**
   * Called when the connection has ended and the SDK will not reconnect. The subscriber is detached already. Returns a function that
   * reports the error to the page, whose handlers may subscribe again.
   */
  failed(error: EaselError): () => void;
}

/** The only connection of a page. It is open while it has subscribers, and is reconnected when it is lost. */
export interface Socket {
  /**
   * Attaches a subscriber and connects if necessary. If the connection has ended with an error after which the SDK does not reconnect,
   * throws that error, unless `reopen` is true.
   */
  attach(subscriber: Subscriber, reopen: boolean): void;
  detach(subscriber: Subscriber): void;
  /**
   * Sends a frame if the connection is open. Otherwise drops the frame: when a connection opens, the `openingFrames` of all subscribers are
   * sent anyway.
   */
  send(text: string): void;
  /** Sends a frame, or queues it until the connection is open. Returns false if the queue is full. */
  publish(subscriber: Subscriber, text: string): boolean;
  /** Sends the messages of `batch` and `latest`, with pauses between them. */
  readonly pacer: Pacer;
}

const OPEN = 1;
/** The maximum number of messages that wait until the connection is open. */
export const MAX_QUEUED = 256;

/** Close codes after which the SDK does not reconnect (specification 6), each with the HTTP error that it corresponds to. */
const FINAL_CLOSES: Record<number, [status: number, body: object]> = {
  [ACCESS_LOST]: [401, { message: "Your access has ended." }],
  [REALTIME_OFF]: [403, { code: "CAPABILITY_DISABLED", message: "Realtime is off.", capability: "realtime" }],
  [CANVAS_FULL]: [
    429,
    {
      code: "CONNECTION_LIMIT",
      message: "This canvas has too many open pages.",
    },
  ],
};

/** Creates the connection without opening it. `open` is called for each attempt to connect and may throw. */
export function createSocket(open: () => WebSocket, schedule: ScheduleReconnect = scheduleReconnect): Socket {
  const subscribers = new Set<Subscriber>();
  let queue: { subscriber: Subscriber; text: string }[] = [];
  let socket: WebSocket | undefined;
  let cancelReconnect: (() => void) | undefined;
  let failures = 0;
  let finalError: EaselError | undefined;

  const isOpen = () => socket?.readyState === OPEN;

  /** Sends a frame that publishes a message, and counts it for the rate limit. The connection must be open. */
  const sendMessage = (text: string) => {
    pacer.count();
    socket?.send(text);
  };

  const pacer = createPacer(isOpen, sendMessage);

  const connect = () => {
    cancelReconnect = undefined;
    let disabled: ErrorFrame | undefined;
    let openedAt = Number.POSITIVE_INFINITY;
    const current = open();
    socket = current;

    current.onopen = () => {
      openedAt = Date.now();
      const queued = queue.splice(0);
      const opening = [...subscribers].flatMap((subscriber) => subscriber.openingFrames());
      for (const text of opening) current.send(text);
      for (const { text } of queued) sendMessage(text);
      pacer.resume();
    };

    current.onmessage = ({ data }) => {
      failures = 0;
      const frame = JSON.parse(String(data)) as ServerFrame;
      for (const subscriber of [...subscribers]) subscriber.receive(frame);
      if (frame.type !== "error" || "channel" in frame || "resource" in frame) return;
      if (frame.code === "CAPABILITY_DISABLED") disabled = frame;
      else report(toFrameError(frame));
    };

    current.onclose = ({ code }) => {
      // `closeIfIdle` has closed this connection, and a newer one may be open by now.
      if (current !== socket) return;
      socket = undefined;
      const [status, body] = FINAL_CLOSES[code] ?? [];
      if (status) return fail(toError(status, { ...body, ...disabled }));
      // A received frame resets the delay. So does a long connection, because a page that only publishes may never receive a frame.
      if (Date.now() - openedAt >= MAX_DELAY_MS) failures = 0;
      cancelReconnect = schedule(backoff(failures++), connect);
      for (const subscriber of [...subscribers]) subscriber.disconnected();
    };
  };

  const fail = (error: EaselError) => {
    finalError = error;
    queue = [];
    pacer.end();
    const all = [...subscribers];
    subscribers.clear();
    for (const notify of all.map((subscriber) => subscriber.failed(error))) notify();
  };

  const closeIfIdle = () => {
    if (subscribers.size > 0) return;
    const last = socket;
    cancelReconnect?.();
    cancelReconnect = socket = undefined;
    failures = 0;
    // Outside browsers, closing a connection that is not open yet calls `onclose` synchronously.
    last?.close();
  };

  return {
    pacer,

    attach(subscriber, reopen) {
      if (finalError && !reopen) throw finalError;
      if (!socket && !cancelReconnect) connect();
      finalError = undefined;
      subscribers.add(subscriber);
    },

    detach(subscriber) {
      subscribers.delete(subscriber);
      pacer.end(subscriber);
      queue = queue.filter((each) => each.subscriber !== subscriber);
      // The close is deferred, so that a page that goes from one channel to another stays connected.
      queueMicrotask(closeIfIdle);
    },

    send(text) {
      if (isOpen()) socket?.send(text);
    },

    publish(subscriber, text) {
      if (isOpen()) sendMessage(text);
      else if (queue.length < MAX_QUEUED) queue.push({ subscriber, text });
      else return false;
      return true;
    },
  };
}

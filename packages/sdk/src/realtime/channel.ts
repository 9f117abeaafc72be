import type { Member, Sender } from "@easel/protocol/realtime";
import type { Json } from "@easel/protocol/types";
import { EaselError } from "../errors.ts";
import { channelName, encode, publishFrame, toFrameError } from "./frames.ts";
import { createGather, type Gather } from "./gather.ts";
import { createListeners, type Listener, report } from "./listeners.ts";
import type { Socket, Subscriber } from "./socket.ts";

/** A message on a channel. The service sets `from`, the sender; a page cannot forge it. */
export interface Message<Data = Json> {
  event: string;
  data: Data;
  from: Sender;
}

/** A channel: messages between open pages of a canvas, and presence (specification 4.7). */
export interface Channel {
  /**
   * Calls `handler` with every message. Resolves when the service has confirmed the subscription, and rejects if it refuses.
   * If the connection is lost, the SDK subscribes again after the reconnect.
   * @throws EaselError with `PERMISSION_DENIED`, `CHANNEL_LIMIT`, `CHANNEL_CLOSED`; NotAuthenticatedError, CapabilityDisabledError or
   * QuotaExceededError with `CONNECTION_LIMIT` if the service ends the connection.
   * @example await easel.realtime.channel("pens").subscribe(({ event, data, from }) => draw(from.id, data));
   */
  subscribe<Data = Json>(handler: Listener<Message<Data>>): Promise<void>;
  /**
   * Sends a message to all subscribers, including the sender. While the connection is down, messages are queued. Throws if the message is
   * invalid, or if the channel or the connection was closed for good. Other errors go to `onError`.
   * @throws EaselError with `MESSAGE_TOO_LARGE` (16 KiB), `INVALID_BODY`, `CHANNEL_CLOSED`. `onError` gets `PERMISSION_DENIED`,
   * `RATE_LIMITED` and `DISCONNECTED`.
   * @example easel.realtime.channel("pens").publish("move", { x: 3, y: 4 });
   */
  publish(event: string, data?: Json): void;
  /**
   * Returns a function that gathers values and publishes them, in order, in messages whose `data` is an array of values. The first message
   * is sent at once. After that, all functions of `batch` and `latest` together send at most one message every 650 ms. While the connection
   * is down, the values wait. A second call with the same event returns the same function.
   * @throws EaselError with `INVALID_BODY`. The returned function throws the errors of `publish`, and `MESSAGE_TOO_LARGE` for a value that
   * is larger than a message. When 256 full messages wait, it drops the value, and `onError` gets `DISCONNECTED`.
   * @example easel.realtime.channel("pens").batch("stroke")({ x: 3, y: 4 });
   */
  batch(event: string): Gather;
  /**
   * Returns a function that publishes a value at the pace of `batch`. A new value replaces the one before it if that is not sent yet. A
   * second call with the same event and key returns the same function. Values with different keys do not replace each other. The key is not
   * sent.
   * @throws EaselError with `INVALID_BODY`. The returned function throws the errors of `publish`.
   * @example easel.realtime.channel("pens").latest("cursor")({ x: 3, y: 4 });
   */
  latest(event: string, key?: string): Gather;
  /**
   * Resolves with the people on the channel, each person once.
   * @throws EaselError with `PERMISSION_DENIED`, `DISCONNECTED`, `CHANNEL_CLOSED`.
   * @example const users = await easel.realtime.channel("pens").presence();
   */
  presence(): Promise<Member[]>;
  /**
   * Calls `handler` when a person joins. Returns a function that removes the handler.
   * @example const stop = easel.realtime.channel("pens").onJoin(({ name }) => greet(name));
   */
  onJoin(handler: Listener<Member>): () => void;
  /**
   * Calls `handler` when a person leaves. Returns a function that removes the handler.
   * @example const stop = easel.realtime.channel("pens").onLeave(({ id }) => erase(id));
   */
  onLeave(handler: Listener<Member>): () => void;
  /**
   * Calls `handler` with the people on the channel after each subscription and each call of `presence`. Returns a function that removes
   * the handler.
   * @example const stop = easel.realtime.channel("pens").onPresence((users) => list(users));
   */
  onPresence(handler: Listener<Member[]>): () => void;
  /**
   * Calls `handler` on every error of the channel. Returns a function that removes the handler. Without a handler, errors are
   * reported as uncaught.
   * @example const stop = easel.realtime.channel("pens").onError(({ message }) => show(message));
   */
  onError(handler: Listener<EaselError>): () => void;
  /**
   * Ends the subscription and removes all handlers that were given to `subscribe`.
   * @example easel.realtime.channel("pens").unsubscribe();
   */
  unsubscribe(): void;
  /**
   * Closes the channel. If the connection is open, first sends the values that `batch` and `latest` have gathered. When a page has no open
   * channel and no watch any more, its connection is closed as well.
   * @example easel.realtime.channel("pens").close();
   */
  close(): void;
}

/**
 * A request that has no response yet. `reject` gets `handled: true` if the page receives the error in another way too, for example through
 * `onError`. `subscribe` then prevents an unhandled rejection of its promise.
 */
interface PendingRequest {
  type: "subscribe" | "presence";
  resolve(users: Member[]): void;
  reject(error: EaselError, handled: boolean): void;
}

const CLOSED = { status: 0, code: "CHANNEL_CLOSED", message: "This channel was closed." };
const DISCONNECTED = { status: 0, code: "DISCONNECTED", message: "The connection was lost." };
const QUEUE_FULL = {
  ...DISCONNECTED,
  message: "The queue of unsent messages is full.",
};

/** The request that renews a subscription after a reconnect. No caller awaits it. */
const RESUBSCRIBE: PendingRequest = {
  type: "subscribe",
  resolve() {},
  reject: (error, handled) => handled || report(error),
};

/** Creates a channel. `onClose` is called when the page closes the channel. */
export function createChannel(name: string, socket: Socket, onClose: () => void): Channel {
  const channel = channelName(name);
  const messages = createListeners<Message>();
  const presences = createListeners<Member[]>();
  const joins = createListeners<Member>();
  const leaves = createListeners<Member>();
  const errors = createListeners<EaselError>();
  /**
   * The requests that wait for a response, oldest first, which is also the order of the responses. A request sends no frame if one of the
   * same type is waiting already: both get the response to the first one.
   */
  let pending: PendingRequest[] = [];
  let subscribed = false;
  /**
   * Whether `unsubscribe` must send a frame. True after a `subscribe` frame was sent on this connection. It stays true after an error
   * frame, because the service may have subscribed the connection nevertheless.
   */
  let unsubscribeNeeded = false;
  let open = true;

  const encodeFrame = (type: string) => encode({ type, channel });
  const isPending = (type: PendingRequest["type"]) => pending.some((each) => each.type === type);

  const request = (added: PendingRequest) => {
    if (!isPending(added.type)) socket.send(encodeFrame(added.type));
    if (added.type === "subscribe") unsubscribeNeeded = true;
    pending.push(added);
  };

  const takePending = (type: PendingRequest["type"] | undefined) => {
    const taken = pending.filter((each) => each.type === type);
    pending = pending.filter((each) => each.type !== type);
    return taken;
  };

  const fail = (error: EaselError, requests: PendingRequest[]) => {
    const handled = errors.size > 0 || !open;
    for (const { reject } of requests) reject(error, handled);
    if (!handled && requests.length === 0) report(error);
    if (open) errors.emit(error);
  };

  const queueFull = () => fail(new EaselError(QUEUE_FULL), []);

  const attach = (reopen: boolean) => {
    if (!open) throw new EaselError(CLOSED);
    socket.attach(subscriber, reopen);
  };

  const unsubscribe = () => {
    if (unsubscribeNeeded) socket.send(encodeFrame("unsubscribe"));
    messages.clear();
    subscribed = unsubscribeNeeded = false;
    for (const { reject } of takePending("subscribe")) reject(new EaselError(CLOSED), true);
  };

  const subscriber: Subscriber = {
    openingFrames() {
      if (messages.size > 0 && !isPending("subscribe")) pending.unshift(RESUBSCRIBE);
      unsubscribeNeeded = isPending("subscribe");
      return [...new Set(pending.map(({ type }) => type))].map(encodeFrame);
    },

    receive(frame) {
      if (!("channel" in frame) || frame.channel !== channel) return;
      switch (frame.type) {
        case "subscribed":
          subscribed = messages.size > 0;
          // Unsubscribes again, because the page called `unsubscribe` before this confirmation came.
          if (!subscribed) socket.send(encodeFrame("unsubscribe"));
          for (const { resolve } of takePending("subscribe")) resolve([]);
          break;
        case "presence":
          for (const { resolve } of takePending("presence")) resolve(frame.users);
          presences.emit(frame.users);
          break;
        case "join":
          joins.emit(frame.user);
          break;
        case "leave":
          leaves.emit(frame.user);
          break;
        case "message":
          messages.emit({ event: frame.event, data: frame.data, from: frame.from });
          break;
        case "error":
          // The service may have ended the subscription, so the next call of `subscribe` must send a frame.
          if (frame.code === "PERMISSION_DENIED") subscribed = false;
          // Error frames do not name the request to which they respond, so the oldest pending request is rejected.
          fail(toFrameError(frame), takePending(pending[0]?.type));
      }
    },

    disconnected() {
      subscribed = unsubscribeNeeded = false;
      for (const { reject } of takePending("presence")) reject(new EaselError(DISCONNECTED), false);
    },

    failed(error) {
      messages.clear();
      subscribed = unsubscribeNeeded = false;
      const requests = pending.splice(0);
      return () => fail(error, requests);
    },
  };

  return {
    subscribe(handler) {
      const promise = new Promise<void>((resolve, reject) => {
        const stop = messages.add(handler as Listener<Message>);
        const refuse = (error: unknown, handled: boolean) => {
          stop();
          // Prevents the event `unhandledrejection`, because the page gets the error elsewhere and may ignore the promise.
          if (handled) promise.catch(() => {});
          reject(error);
        };
        try {
          attach(true);
        } catch (error) {
          return refuse(error, false);
        }
        if (subscribed) return resolve();
        request({ type: "subscribe", resolve: () => resolve(), reject: refuse });
      });
      return promise;
    },

    publish(event, data) {
      const text = publishFrame(channel, event, data);
      attach(false);
      if (!socket.publish(subscriber, text)) queueFull();
    },

    ...createGather(channel, subscriber, socket.pacer, () => attach(false), queueFull),

    presence() {
      return new Promise((resolve, reject) => {
        attach(false);
        request({ type: "presence", resolve, reject });
      });
    },

    onJoin: joins.add,
    onLeave: leaves.add,
    onPresence: presences.add,
    onError: errors.add,

    unsubscribe,

    close() {
      if (!open) return;
      open = false;
      unsubscribe();
      for (const { reject } of takePending("presence")) reject(new EaselError(CLOSED), true);
      socket.detach(subscriber);
      onClose();
    },
  };
}

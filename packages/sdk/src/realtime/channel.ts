import type { Member, Sender } from "@easel/protocol/realtime";
import type { Json } from "@easel/protocol/types";
import { EaselError, invalid } from "../errors.ts";
import { storable } from "../value.ts";
import { channelName, encode, refusalOf } from "./frames.ts";
import { createListeners, type Listener, report } from "./listeners.ts";
import type { Party, Socket } from "./socket.ts";

/** What was published on a channel; the service itself says who it is from. */
export interface Message<Data = Json> {
  event: string;
  data: Data;
  from: Sender;
}

/** A channel: messages between the pages of a canvas, and who else is there (specification 4.7). */
export interface Channel {
  /**
   * Hands every message to `handler`. Fulfilled when the service has confirmed it, rejected when it refuses.
   * After a lost connection the channel is subscribed again by itself.
   * @example await easel.realtime.channel("pens").subscribe(({ event, data, from }) => draw(from.id, data));
   */
  subscribe<Data extends Json = Json>(handler: Listener<Message<Data>>): Promise<void>;
  /**
   * Sends a message to all who are subscribed, oneself too. It waits for the connection, if need be; what is refused
   * later is told to `onError`.
   * @example easel.realtime.channel("pens").publish("move", { x: 3, y: 4 });
   */
  publish(event: string, data?: Json): void;
  /**
   * Who is on the channel now, each person once.
   * @example const users = await easel.realtime.channel("pens").presence();
   */
  presence(): Promise<Member[]>;
  /**
   * Tells of everyone who comes; gives a function that stops.
   * @example const stop = easel.realtime.channel("pens").onJoin(({ name }) => greet(name));
   */
  onJoin(handler: Listener<Member>): () => void;
  /**
   * Tells of everyone who goes; gives a function that stops.
   * @example const stop = easel.realtime.channel("pens").onLeave(({ id }) => erase(id));
   */
  onLeave(handler: Listener<Member>): () => void;
  /**
   * Tells who is there, after every `subscribe` and whenever it is asked; gives a function that stops.
   * @example const stop = easel.realtime.channel("pens").onPresence((users) => list(users));
   */
  onPresence(handler: Listener<Member[]>): () => void;
  /**
   * Tells of every error of the channel; gives a function that stops. Without it they are reported as uncaught.
   * @example const stop = easel.realtime.channel("pens").onError(({ message }) => show(message));
   */
  onError(handler: Listener<EaselError>): () => void;
  /**
   * Ends the messages, for all of its handlers.
   * @example easel.realtime.channel("pens").unsubscribe();
   */
  unsubscribe(): void;
  /**
   * Ends the channel, and the connection with the last one; `realtime.channel` gives a new one.
   * @example easel.realtime.channel("pens").close();
   */
  close(): void;
}

/** What the service has been asked and has not answered; `heard` is whether `onError` tells of the error, too. */
interface Ask {
  type: "subscribe" | "presence";
  resolve(users: Member[]): void;
  reject(error: EaselError, heard: boolean): void;
}

const CLOSED = { status: 0, code: "CHANNEL_CLOSED", message: "This channel was closed." };
const LOST = { status: 0, code: "DISCONNECTED", message: "The connection was lost." };
const FULL = { ...LOST, message: "There is no connection, and no room for more messages to wait for it." };

/** The question that nobody waits for: a channel is subscribed again after a lost connection. */
const AGAIN: Ask = { type: "subscribe", resolve() {}, reject: (error, heard) => heard || report(error) };

/** A channel; `closed` is called when it ends. */
export function createChannel(name: string, socket: Socket, closed: () => void): Channel {
  const channel = channelName(name);
  const messages = createListeners<Message>();
  const presences = createListeners<Member[]>();
  const joins = createListeners<Member>();
  const leaves = createListeners<Member>();
  const errors = createListeners<EaselError>();
  /** In the order in which they were sent, which is that of the answers; all of a type are one frame. */
  let asks: Ask[] = [];
  let subscribed = false;
  /** Whether it was asked for on this connection, and not given back: the service may have it, whatever was refused. */
  let taken = false;
  let open = true;

  const frame = (type: string) => encode({ type, channel });
  const asked = (type: Ask["type"]) => asks.some((each) => each.type === type);

  const ask = (question: Ask) => {
    if (!asked(question.type)) socket.say(frame(question.type));
    if (question.type === "subscribe") taken = true;
    asks.push(question);
  };

  const take = (type: Ask["type"] | undefined) => {
    const answered = asks.filter((each) => each.type === type);
    asks = asks.filter((each) => each.type !== type);
    return answered;
  };

  const fail = (error: EaselError, questions: Ask[]) => {
    const heard = errors.size > 0 || !open;
    for (const { reject } of questions) reject(error, heard);
    if (!heard && questions.length === 0) report(error);
    if (open) errors.tell(error);
  };

  const enter = (anew: boolean) => {
    if (!open) throw new EaselError(CLOSED);
    socket.join(party, anew);
  };

  const leave = () => {
    if (taken) socket.say(frame("unsubscribe"));
    messages.clear();
    subscribed = taken = false;
    for (const { reject } of take("subscribe")) reject(new EaselError(CLOSED), true);
  };

  const party: Party = {
    greet() {
      if (messages.size > 0 && !asked("subscribe")) asks.unshift(AGAIN);
      taken = asked("subscribe");
      return [...new Set(asks.map(({ type }) => type))].map(frame);
    },

    hear(told) {
      if (!("channel" in told) || told.channel !== channel) return;
      switch (told.type) {
        case "subscribed":
          subscribed = messages.size > 0;
          // Confirmed after it was given up.
          if (!subscribed) socket.say(frame("unsubscribe"));
          for (const { resolve } of take("subscribe")) resolve([]);
          break;
        case "presence":
          for (const { resolve } of take("presence")) resolve(told.users);
          presences.tell(told.users);
          break;
        case "join":
          joins.tell(told.user);
          break;
        case "leave":
          leaves.tell(told.user);
          break;
        case "message":
          messages.tell({ event: told.event, data: told.data, from: told.from });
          break;
        case "error":
          // It may have ended the subscription: the next handler asks for it again.
          if (told.code === "PERMISSION_DENIED") subscribed = false;
          fail(refusalOf(told), take(asks[0]?.type));
      }
    },

    lost() {
      subscribed = taken = false;
      for (const { reject } of take("presence")) reject(new EaselError(LOST), false);
    },

    over(error) {
      messages.clear();
      subscribed = taken = false;
      const questions = asks.splice(0);
      return () => fail(error, questions);
    },
  };

  return {
    subscribe(handler) {
      const promise = new Promise<void>((resolve, reject) => {
        const stop = messages.add(handler);
        const refuse = (error: unknown, heard: boolean) => {
          stop();
          // Whoever has `onError` need not await this.
          if (heard) promise.catch(() => {});
          reject(error);
        };
        try {
          enter(true);
        } catch (error) {
          return refuse(error, false);
        }
        if (subscribed) return resolve();
        ask({ type: "subscribe", resolve: () => resolve(), reject: refuse });
      });
      return promise;
    },

    publish(event, data) {
      if (typeof event !== "string") throw invalid("The event of a message is a text.");
      const text = encode({
        type: "publish",
        channel,
        event,
        data: data === undefined ? data : storable(data),
      });
      enter(false);
      if (!socket.publish(party, text)) fail(new EaselError(FULL), []);
    },

    presence() {
      return new Promise((resolve, reject) => {
        enter(false);
        ask({ type: "presence", resolve, reject });
      });
    },

    onJoin: joins.add,
    onLeave: leaves.add,
    onPresence: presences.add,
    onError: errors.add,

    unsubscribe: leave,

    close() {
      if (!open) return;
      open = false;
      leave();
      for (const { reject } of take("presence")) reject(new EaselError(CLOSED), true);
      socket.leave(party);
      closed();
    },
  };
}

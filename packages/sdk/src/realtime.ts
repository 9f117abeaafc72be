import type { Member, Sender } from "@easel/protocol/realtime";
import type { Json } from "@easel/protocol/types";
import type { EaselError } from "./errors.ts";
import { createChannel } from "./realtime/channel.ts";
import type { Listener } from "./realtime/listeners.ts";
import type { Socket } from "./realtime/socket.ts";

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

/** The channels of a canvas. */
export interface Realtime {
  /**
   * A channel of this name, 1 to 128 bytes; the same one until it is closed. Nothing is sent yet.
   * @example const pens = easel.realtime.channel("pens");
   */
  channel(name: string): Channel;
}

/** `easel.realtime`. */
export function createRealtime(socket: Socket): Realtime {
  const channels = new Map<string, Channel>();

  return {
    channel(name) {
      const channel = channels.get(name) ?? createChannel(name, socket, () => channels.delete(name));
      channels.set(name, channel);
      return channel;
    },
  };
}

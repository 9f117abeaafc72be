import type { Channel, EaselError, Json, Member, Message, Realtime } from "@easel/sdk";
import { createStore, createUsers, type Store } from "@easel/sdk/live";

/** The state of a channel. `members` is undefined until the service has sent the people on the channel. */
export interface ChannelState {
  readonly members: Member[] | undefined;
  readonly error: EaselError | undefined;
}

export type Handler = (message: Message) => void;

/** A channel that components share. It is closed when its last subscriber has gone. */
export interface LiveChannel extends Store<ChannelState> {
  isUsed(): boolean;
  /** Calls `handler` with each message on the channel. Returns a function that removes the handler. */
  join(handler: Handler): () => void;
  publish(event: string, data?: Json): void;
  batch(event: string): (value: Json) => void;
  latest(event: string, key?: string): (value: Json) => void;
}

/** Creates a channel without opening it. No function of the channel throws: an error is put into its state. */
export function createLiveChannel(realtime: Realtime, name: string): LiveChannel {
  const initial: ChannelState = { members: undefined, error: undefined };
  const handlers = new Set<{ handle: Handler }>();
  let channel: Channel | undefined;

  const fail = (error: unknown) => store.setState({ ...store.getState(), error: error as EaselError });

  const setMembers = (change: (members: Member[]) => Member[]) => {
    const { members = [], error } = store.getState();
    store.setState({ members: change(members), error });
  };

  const open = () => {
    if (channel) return channel;
    channel = realtime.channel(name);
    channel.onError(fail);
    channel.onPresence((members) => setMembers(() => members));
    channel.onJoin((member) => setMembers((all) => [...all.filter(({ id }) => id !== member.id), member]));
    channel.onLeave((member) => setMembers((all) => all.filter(({ id }) => id !== member.id)));
    return channel;
  };

  /**
   * Clears the error of the state, opens the channel if necessary and calls `use` with it. If that throws, puts the error into the state.
   */
  const attempt = (use: (channel: Channel) => unknown) => {
    if (store.getState().error) store.setState({ ...store.getState(), error: undefined });
    try {
      use(open());
    } catch (error) {
      fail(error);
    }
  };

  const receive = (message: Message) => {
    for (const { handle } of [...handlers]) handle(message);
  };

  const subscribe = createUsers(() => {
    let isWanted = true;
    // `unsubscribe` rejects a subscription that is not confirmed yet.
    attempt((opened) => opened.subscribe(receive).catch((error) => isWanted && fail(error)));
    return () => {
      isWanted = false;
      channel?.unsubscribe();
      store.setState(initial);
    };
  });

  const store = createStore(initial, () => () => {
    channel?.close();
    channel = undefined;
    store.setState(initial);
  });

  return {
    initial,
    getState: store.getState,
    subscribe: store.subscribe,
    isUsed: store.isUsed,

    join(handler) {
      const entry = { handle: handler };
      handlers.add(entry);
      const leave = subscribe();
      return () => {
        handlers.delete(entry);
        leave();
      };
    },

    publish: (event, data) => attempt((opened) => opened.publish(event, data)),
    batch: (event) => (value) => attempt((opened) => opened.batch(event)(value)),
    latest: (event, key) => (value) => attempt((opened) => opened.latest(event, key)(value)),
  };
}

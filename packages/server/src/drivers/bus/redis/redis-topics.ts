import type { Client } from "./redis-link.ts";

type Listener = (message: string) => void;
type MissedListener = (isMissed: (topic: string) => boolean) => void;

/** Runs a command on the connection of the moment. */
type Run = <Reply>(command: (client: Client) => Promise<Reply>) => Promise<Reply>;

interface Topic {
  listeners: Set<Listener>;
  /** How many subscriptions there are, including those that the server has not confirmed yet. */
  uses: number;
  confirmed: Promise<unknown>;
}

/** The number of topics above which a node says that messages of any topic may have been missed. */
const MAX_UNPUBLISHED = 1_000;

/** Encodes a topic for the server. Channels of pages may have names with lone surrogates, which UTF-8 cannot carry and JSON escapes. */
export const encodeTopic = (topic: string): string => JSON.stringify(topic);

export const decodeTopic = (encoded: string): string => JSON.parse(encoded);

/**
 * The topics of a bus on Redis to which this node listens. Each is a channel of the server. Another channel, `missed`, tells all nodes of
 * which topics a node could not publish messages: a JSON array, or `null` for all topics.
 */
export class RedisTopics {
  readonly #prefix: string;
  readonly #missedChannel: string;
  readonly #onError: (error: unknown) => void;
  /** By the channel of the server. */
  readonly #topics = new Map<string, Topic>();
  readonly #missedListeners = new Set<MissedListener>();
  /** The topics with messages that this node could not publish. */
  #unpublished = new Set<string>();
  /** Messages that have arrived while the connection is prepared. They are delivered after the listeners of missed messages were called. */
  #early: [message: string, channel: string][] | null = null;
  #isFirst = true;

  /** `onError` is called if a listener throws. */
  constructor(prefix: string, onError: (error: unknown) => void) {
    this.#prefix = `${prefix}topic `;
    this.#missedChannel = `${prefix}missed`;
    this.#onError = onError;
  }

  /** Subscribes a new connection to all topics. Messages are kept until `goOn`. */
  async prepare(client: Client): Promise<void> {
    this.#early = [];
    await client.subscribe([this.#missedChannel, ...this.#topics.keys()], this.#receive);
  }

  /** Says that messages may have been missed, unless this is the first connection. Then delivers those that have arrived since. */
  goOn(run: Run): void {
    if (!this.#isFirst) this.#tellMissed(() => true);
    this.#isFirst = false;
    const early = this.#early ?? [];
    this.#early = null;
    for (const each of early) this.#receive(...each);
    if (this.#unpublished.size > 0) void this.#tellOthers(run);
  }

  async publish(topic: string, message: string, run: Run): Promise<void> {
    try {
      await run((client) => client.publish(this.#channelOf(topic), message));
    } catch (error) {
      if (this.#unpublished.size <= MAX_UNPUBLISHED) this.#unpublished.add(topic);
      throw error;
    }
    if (this.#unpublished.size > 0) await this.#tellOthers(run);
  }

  async subscribe(topic: string, listener: Listener, run: Run): Promise<() => Promise<void>> {
    const channel = this.#channelOf(topic);
    const known = this.#topics.get(channel) ?? {
      listeners: new Set(),
      uses: 0,
      confirmed: run((client) => client.subscribe(channel, this.#receive)),
    };
    this.#topics.set(channel, known);
    known.uses++;
    // A listener of its own, because the same function may be subscribed twice.
    const own: Listener = (message) => listener(message);
    let isOver = false;
    const stop = async () => {
      if (isOver) return;
      isOver = true;
      known.listeners.delete(own);
      if (--known.uses > 0) return;
      this.#topics.delete(channel);
      // A connection that is lost has no subscriptions, and the next one gets those of `#topics`.
      await run((client) => client.unsubscribe(channel, this.#receive)).catch(() => {});
    };
    try {
      await known.confirmed;
    } catch (error) {
      await stop();
      throw error;
    }
    known.listeners.add(own);
    return stop;
  }

  onMissed(listener: MissedListener): () => void {
    this.#missedListeners.add(listener);
    return () => this.#missedListeners.delete(listener);
  }

  readonly #receive = (message: string, channel: string): void => {
    if (this.#early !== null) return void this.#early.push([message, channel]);
    if (channel === this.#missedChannel) {
      const topics = JSON.parse(message) as string[] | null;
      this.#tellMissed((topic) => topics === null || topics.includes(topic));
      return;
    }
    for (const listener of this.#topics.get(channel)?.listeners ?? []) this.#try(() => listener(message));
  };

  readonly #channelOf = (topic: string): string => this.#prefix + encodeTopic(topic);

  #tellMissed(isMissed: (topic: string) => boolean): void {
    for (const listener of this.#missedListeners) this.#try(() => listener(isMissed));
  }

  async #tellOthers(run: Run): Promise<void> {
    const topics = this.#unpublished;
    this.#unpublished = new Set();
    const message = JSON.stringify(topics.size > MAX_UNPUBLISHED ? null : [...topics]);
    try {
      await run((client) => client.publish(this.#missedChannel, message));
    } catch {
      this.#unpublished = this.#unpublished.union(topics);
    }
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onError(error);
    }
  }
}

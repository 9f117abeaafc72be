import type { Bus } from "../../drivers/bus/bus.ts";

interface Topic<Listener> {
  listeners: Set<Listener>;
  /** Resolves with a function that ends the subscription to the bus. */
  unsubscribe: Promise<() => Promise<void>>;
}

/**
 * Keeps one subscription to the bus for each topic with listeners on this node. The last listener that unsubscribes ends the subscription.
 */
export class Topics<Listener> {
  readonly #topics = new Map<string, Topic<Listener>>();
  readonly #bus: Bus;
  readonly #deliver: (message: string, listeners: Set<Listener>) => void;

  constructor(bus: Bus, deliver: (message: string, listeners: Set<Listener>) => void) {
    this.#bus = bus;
    this.#deliver = deliver;
  }

  /** Adds a listener to a topic. Resolves once the listener receives messages from every node. */
  async subscribe(topic: string, listener: Listener): Promise<void> {
    const known = this.#topics.get(topic);
    if (known !== undefined) {
      known.listeners.add(listener);
      await known.unsubscribe;
      return;
    }
    const listeners = new Set([listener]);
    const unsubscribe = this.#bus.subscribe(topic, (message) => this.#deliver(message, listeners));
    const added = { listeners, unsubscribe };
    this.#topics.set(topic, added);
    try {
      await unsubscribe;
    } catch (error) {
      // The entry may have been removed meanwhile, and another one added for the same topic.
      if (this.#topics.get(topic) === added) this.#topics.delete(topic);
      throw error;
    }
  }

  async unsubscribe(topic: string, listener: Listener): Promise<void> {
    const known = this.#topics.get(topic);
    if (!known?.listeners.delete(listener) || known.listeners.size > 0) return;
    this.#topics.delete(topic);
    await (await known.unsubscribe)();
  }
}

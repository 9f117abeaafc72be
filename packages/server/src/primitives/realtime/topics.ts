import type { Bus } from "../../drivers/bus/bus.ts";

interface Heard<Listener> {
  listeners: Set<Listener>;
  stop: Promise<() => Promise<void>>;
}

/** What this node hears of topics of the bus: each for as long as someone here listens to it. */
export class Topics<Listener> {
  readonly #heard = new Map<string, Heard<Listener>>();
  readonly #bus: Bus;
  readonly #tell: (message: string, listeners: Set<Listener>) => void;

  constructor(bus: Bus, tell: (message: string, listeners: Set<Listener>) => void) {
    this.#bus = bus;
    this.#tell = tell;
  }

  /** Listens from now on; resolved once the whole bus knows. */
  async enter(topic: string, listener: Listener): Promise<void> {
    const known = this.#heard.get(topic);
    if (known !== undefined) {
      known.listeners.add(listener);
      await known.stop;
      return;
    }
    const listeners = new Set([listener]);
    const stop = this.#bus.subscribe(topic, (message) => this.#tell(message, listeners));
    const heard = { listeners, stop };
    this.#heard.set(topic, heard);
    try {
      await stop;
    } catch (error) {
      // Others may have come to the topic anew meanwhile.
      if (this.#heard.get(topic) === heard) this.#heard.delete(topic);
      throw error;
    }
  }

  async leave(topic: string, listener: Listener): Promise<void> {
    const heard = this.#heard.get(topic);
    if (!heard?.listeners.delete(listener) || heard.listeners.size > 0) return;
    this.#heard.delete(topic);
    await (await heard.stop)();
  }
}

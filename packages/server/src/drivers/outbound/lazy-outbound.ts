import type { Outbound, OutboundRequest, OutboundResponse } from "./outbound.ts";

/** Opens another `Outbound` at the first request, because its modules take time to load that the start of the service should not take. */
export class LazyOutbound implements Outbound {
  readonly #open: () => Promise<Outbound>;
  #opened: Promise<Outbound> | null = null;

  constructor(open: () => Promise<Outbound>) {
    this.#open = open;
  }

  async send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> {
    return (await this.#outbound()).send(request, signal);
  }

  async check(origin: string, signal: AbortSignal): Promise<void> {
    return (await this.#outbound()).check(origin, signal);
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close();
  }

  #outbound(): Promise<Outbound> {
    this.#opened ??= this.#open();
    return this.#opened;
  }
}

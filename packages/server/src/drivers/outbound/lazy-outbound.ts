import type { Outbound, OutboundRequest, OutboundResponse } from "./outbound.ts";

/** Opens the real `Outbound` only at the first request. Its modules load slowly and would delay the start of the service. */
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

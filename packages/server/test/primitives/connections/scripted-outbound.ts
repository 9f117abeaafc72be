import type { Outbound, OutboundRequest, OutboundResponse } from "../../../src/drivers/outbound/outbound.ts";

/** A request that the service has sent to the upstream, and how a test lets it end. */
export interface Sent {
  request: OutboundRequest;
  /** Is aborted when the service cancels the request. */
  signal: AbortSignal;
  respond(body: string | Buffer, fields?: Partial<Pick<OutboundResponse, "status" | "headers">>): void;
  fail(error: Error): void;
}

/** Replaces all upstreams. Records each request and keeps it open until the test ends it or the service cancels it. */
export class ScriptedOutbound implements Outbound {
  readonly sent: Sent[] = [];
  /** Called for each request, so that a test can end it at once. */
  onSend: (sent: Sent) => void = () => {};

  send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<OutboundResponse>();
    const sent: Sent = {
      request,
      signal,
      respond(body, { status = 200, headers = {} } = {}) {
        async function* chunks() {
          yield typeof body === "string" ? Buffer.from(body) : body;
        }
        resolve({ status, headers, body: chunks(), discard() {} });
      },
      fail: reject,
    };
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    this.sent.push(sent);
    this.onSend(sent);
    return promise;
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {}
}

import type { EaselOptions } from "../options.ts";
import type { Api } from "../request.ts";
import { createSocket, type Socket } from "./socket.ts";

/** Creates the realtime connection of a canvas without opening it (specification 4.7). */
export function createConnection(api: Api, { WebSocket, token }: EaselOptions = {}): Socket {
  return createSocket(() => {
    const url = api.url("/realtime").replace(/^http/, "ws");
    // Node's WebSocket takes headers in its second argument. That of browsers cannot send any, and needs none: it sends the cookie.
    const init = token ? [{ headers: { authorization: `Bearer ${token}` } } as unknown as string] : [];
    return new (WebSocket ?? globalThis.WebSocket)(url, ...init);
  });
}

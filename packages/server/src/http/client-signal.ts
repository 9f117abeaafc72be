import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Refusal } from "./refusal.ts";

/** Returns the reason with which the signal of a request aborts. Nobody receives it as a response. */
const clientGone = (): Refusal =>
  new Refusal(400, { code: "INVALID_BODY", message: "The client closed the connection." });

/**
 * Returns a function that returns the signal of a request. The signal aborts, with a `Refusal` as its reason, if the connection closes
 * before the response has been sent. It is created at the first call, because few requests need it.
 */
export function clientSignal(request: IncomingMessage, response: ServerResponse): () => AbortSignal {
  // A destroyed request has no socket any more.
  const socket: Socket | null = request.socket;
  let controller: AbortController | undefined;
  return () => {
    if (controller !== undefined) return controller.signal;
    const created = new AbortController();
    controller = created;
    const abort = () => created.abort(clientGone());
    if (socket === null || socket.destroyed) abort();
    else {
      socket.once("close", abort);
      response.once("close", () => socket.off("close", abort));
    }
    return created.signal;
  };
}

import type { IncomingMessage } from "node:http";
import { bodyAborted, bodyTooSlow } from "./body.ts";

/** Timeout for the next chunk of a body. */
const IDLE_TIMEOUT_MS = 20_000;

/**
 * Streams the chunks of a body. Throws 408 `INVALID_BODY` if the next chunk does not arrive within 20 s, and 400 if the client disconnects.
 * If the consumer stops early, the rest of the body stays unread in the request.
 */
export async function* streamBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  let wake = () => {};
  const onEvent = () => wake();
  request.on("readable", onEvent).on("end", onEvent).on("close", onEvent);
  try {
    for (;;) {
      const chunk: Buffer | null = request.read();
      if (chunk !== null) yield chunk;
      else if (request.readableEnded) return;
      else if (request.destroyed) throw bodyAborted();
      else
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => reject(bodyTooSlow()), IDLE_TIMEOUT_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
    }
  } finally {
    request.off("readable", onEvent).off("end", onEvent).off("close", onEvent);
  }
}

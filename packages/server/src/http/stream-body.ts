import type { IncomingMessage } from "node:http";
import { bodyAborted, bodyTooSlow } from "./body.ts";

/** The time within which the next bytes of a body must arrive. */
const IDLE_TIMEOUT_MS = 20_000;

/**
 * Streams the chunks of a body. Throws 408 `INVALID_BODY` when none arrives within 20 s of being asked for, and 400 when the client goes
 * away. The rest of a body that is not read to its end is left in the request.
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

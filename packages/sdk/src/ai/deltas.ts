import type { TokenUsage } from "@easel/protocol/ai";
import { broken, toChatEvent, toStreamError } from "./chat-event.ts";
import { createEventParser } from "./event-parser.ts";

/** The numbers of tokens of a request and its response, and their cost in US dollars. */
export interface ChatSpend {
  usage: TokenUsage;
  cost: number;
}

/**
 * Sends a chat request at the first `next`, and yields the texts of the response as they arrive. The return value of the generator is what
 * the response has cost. The response stream is closed when the iteration ends, even if it ends early.
 */
export async function* deltas(
  send: () => Promise<Response>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, ChatSpend, undefined> {
  const { body } = await send();
  if (body === null) throw broken("NO_STREAM", "The response of the service has no body.");
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parse = createEventParser();
  let spend: ChatSpend | undefined;

  const truncated = (cause?: unknown) => {
    signal?.throwIfAborted();
    return broken("AI_STREAM_TRUNCATED", "The response of the model ended before it was complete.", cause);
  };
  const read = () =>
    reader.read().catch((cause) => {
      const error = truncated(cause);
      if (spend === undefined) throw error;
      return { done: true, value: undefined };
    });

  try {
    for (let ended = false; !ended; ) {
      const { done, value } = await read();
      ended = done;
      // At the end of the stream, the last event may lack its blank line.
      const text = decoder.decode(value, { stream: !done }) + (done ? "\n\n" : "");
      for (const data of parse(text)) {
        signal?.throwIfAborted();
        // After `done`, the rest is read so that the browser does not report the request as canceled.
        if (spend !== undefined) continue;
        const event = toChatEvent(data);
        if (event?.type === "delta") yield event.text;
        else if (event?.type === "done") spend = { usage: event.usage, cost: event.cost };
        else if (event !== undefined) throw toStreamError(event);
        else if (!done)
          throw broken("MALFORMED_FRAME", "The service sent an event that is not one of a chat.");
      }
    }
    if (spend === undefined) throw truncated();
    return spend;
  } finally {
    reader.cancel().catch(() => {});
  }
}

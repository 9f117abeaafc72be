import type { ChatEvent } from "@easel/protocol/ai";

/** What a client has received of a chat. */
export interface Received {
  /** Null if the client received no response. */
  status: number | null;
  events: ChatEvent[];
  /** Whether the connection failed or was aborted before the response ended. */
  broken: boolean;
}

/** A chat to start. `onEvent` is called for each event as it comes. */
export interface ChatRequest {
  /** The URL of the runtime API of a canvas. */
  canvas: string;
  headers: Record<string, string>;
  body: unknown;
  signal?: AbortSignal;
  onEvent?: (event: ChatEvent) => void;
}

const DATA = /^data: (.*)$/gm;

/** Asks a model, and reads the response to its end. */
export async function chat({ canvas, headers, body, signal, onEvent }: ChatRequest): Promise<Received> {
  const received: Received = { status: null, events: [], broken: false };
  try {
    const response = await fetch(`${canvas}/ai/chat`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
    received.status = response.status;
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const end = text.lastIndexOf("\n") + 1;
      for (const [, json = ""] of text.slice(0, end).matchAll(DATA)) {
        const event = JSON.parse(json) as ChatEvent;
        received.events.push(event);
        onEvent?.(event);
      }
      text = text.slice(end);
    }
  } catch {
    received.broken = true;
  }
  return received;
}

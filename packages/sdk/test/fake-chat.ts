import assert from "node:assert/strict";
import { type ChatStream, createEasel, type EaselError } from "../src/index.ts";
import { fakeFetch, page } from "./support.ts";

/** The tokens in `DONE`. */
export const USAGE = {
  inputTokens: 12,
  outputTokens: 2,
  cacheCreationInputTokens: 3,
  cacheReadInputTokens: 4,
};
/** The last event of a complete response. */
export const DONE = { type: "done", usage: USAGE, cost: 0.0125 };
/** The arguments of a chat. */
export const MESSAGES = [{ role: "user" as const, content: "Name a tea." }];
export const MODEL = { model: "m-1" };

/** Creates an event with a piece of the text. */
export const delta = (text: string) => ({ type: "delta", text });
/** Encodes an event as the service sends it. */
export const line = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;

/** A response whose body the test sends piece by piece. */
export function openResponse() {
  const seen = { cancelled: false };
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      body = controller;
    },
    cancel: () => {
      seen.cancelled = true;
    },
  });
  const send = (...events: unknown[]) => body?.enqueue(new TextEncoder().encode(events.map(line).join("")));
  return { response: new Response(stream), send, fail: (cause: Error) => body?.error(cause), seen };
}

/** The SDK of a page whose chats get this response. */
export function aiOf(answer: () => Response | Promise<Response>) {
  const { fetch, calls } = fakeFetch(answer);
  return { ...createEasel({ ...page, fetch }), calls };
}

/** The SDK of a page whose chats get these events. */
export const respond = (...parts: unknown[]) => aiOf(() => new Response(parts.map(line).join("")));

/** Resolves with the texts of a stream. */
export async function gather(stream: ChatStream): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of stream) texts.push(text);
  return texts;
}

/** Asserts that both ways to get a response fail with one error, which `check` checks. */
export async function assertFails(
  answer: () => Response | Promise<Response>,
  check: (error: EaselError) => void,
) {
  for (const run of ["chat", "stream"] as const) {
    const { ai, calls } = aiOf(answer);
    const stream = ai.stream(MESSAGES, MODEL);
    const failed = run === "chat" ? ai.chat(MESSAGES, MODEL) : gather(stream);
    await assert.rejects(failed, (error: EaselError) => {
      check(error);
      return true;
    });
    assert.equal(calls.length, 1, "never retried");
    assert.deepEqual([stream.usage, stream.cost], [undefined, undefined]);
  }
}

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ChatEvent } from "@easel/protocol/ai";
import { type Setup, type Stage, stage } from "../fixture.ts";
import type { Answer, Header } from "../http.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import type { Target } from "../target.ts";
import { play, type Step } from "./script.ts";
import { MODEL } from "./settings.ts";

/** The maximum size of the body of a chat request, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;

/** Creates a canvas whose viewers may use AI. */
export const chatRoom = (target: Target, setup: Setup = {}): Promise<Stage> =>
  stage(target, { ...setup, switches: { aiAudience: "viewers", ...setup.switches } });

/**
 * Returns a new unique text. A test puts this text in a chat message, so that it can find the request in the log of the stand-in provider.
 */
export const freshMark = (): string => randomUUID();

/**
 * Returns the body of a chat request with one user message, which tells the stand-in provider to respond with `steps`. The fields in `more`
 * are added to the body, or replace its fields, such as `model`.
 */
export const chatOf = (steps: Step[], mark = "", more: object = {}): object => ({
  model: MODEL,
  messages: [{ role: "user", content: play(steps, mark) }],
  ...more,
});

/**
 * Sends a chat request from a page and returns the response. An object is sent as JSON. A string or a buffer is sent unchanged, so it may
 * be invalid.
 */
export const ask = (page: Page, body: object | string, headers: Header[] = [JSON_TYPE]): Promise<Answer> =>
  page.send(
    "POST",
    "/ai/chat",
    headers,
    typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  );

/**
 * Sends a chat request with one user message, which tells the stand-in provider to respond with `steps`. Returns the response of the
 * service. `mark` is a text by which a test finds the request in the log of the provider.
 */
export const askFor = (page: Page, steps: Step[], mark = ""): Promise<Answer> =>
  ask(page, chatOf(steps, mark));

/**
 * Parses one block of an event stream. The block must be a comment or one `data` line with a JSON object. Returns null for a comment and
 * the object otherwise.
 */
export function eventIn(block: string): ChatEvent | null {
  if (/^:[^\r\n]*$/.test(block)) return null;
  assert.match(block, /^data: \{[^\r\n]*\}$/);
  return JSON.parse(block.slice("data: ".length));
}

/** Returns the events of a whole response, which must be an event stream. */
export function eventsOf({ status, headers, text }: Answer): ChatEvent[] {
  assert.equal(status, 200, text.slice(0, 300));
  assert.match(headers["content-type"] ?? "", /^text\/event-stream\s*(;|$)/);
  const blocks = text.split("\n\n");
  assert.equal(blocks.pop(), "", "the last event is complete");
  return blocks.map(eventIn).filter((event) => event !== null);
}

/**
 * Returns the text of all `delta` events of a response, joined, and the last event. Asserts that each event before the last one is a
 * `delta` event with exactly the fields `type` and `text`.
 */
function endOf(answer: Answer): { text: string; last: ChatEvent | undefined } {
  const events = eventsOf(answer);
  const last = events.pop();
  const texts = events.map((event) => {
    assert.deepEqual(Object.keys(event), ["type", "text"]);
    assert.ok(event.type === "delta" && typeof event.text === "string", JSON.stringify(event));
    return event.text;
  });
  return { text: texts.join(""), last };
}

const USAGE_FIELDS = ["cacheCreationInputTokens", "cacheReadInputTokens", "inputTokens", "outputTokens"];

/**
 * Asserts that the last event of a response is a valid `done` event. Returns the text of the response, and the token usage and cost in that
 * event.
 */
export function doneOf(answer: Answer) {
  const { text, last } = endOf(answer);
  assert.ok(last?.type === "done", JSON.stringify(last));
  assert.deepEqual(Object.keys(last).sort(), ["cost", "type", "usage"]);
  assert.deepEqual(Object.keys(last.usage).sort(), USAGE_FIELDS);
  for (const tokens of Object.values(last.usage)) assert.ok(Number.isInteger(tokens) && tokens >= 0);
  return { text, usage: last.usage, cost: last.cost };
}

/** Asserts that the last event of a response is a valid `error` event. Returns the text of the events before it. */
export function textBeforeError(answer: Answer): string {
  const { text, last } = endOf(answer);
  assert.ok(last?.type === "error", JSON.stringify(last));
  assert.deepEqual(Object.keys(last).sort(), ["code", "message", "type"]);
  assert.equal(last.code, "AI_UPSTREAM_ERROR");
  assert.ok(typeof last.message === "string" && last.message !== "");
  return text;
}

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { ChatEvent } from "@easel/protocol/ai";
import { type Setup, type Stage, stage } from "../fixture.ts";
import type { Answer, Header } from "../http.ts";
import { JSON_TYPE, type Page } from "../page.ts";
import type { Target } from "../target.ts";
import { play, type Step } from "./script.ts";
import { MODEL } from "./settings.ts";

/** The maximum size of a chat's body. */
export const MAX_BODY_BYTES = 256 * 1024;

/** Creates a canvas whose viewers may use AI. */
export const chatRoom = (target: Target, setup: Setup = {}): Promise<Stage> =>
  stage(target, { ...setup, switches: { aiAudience: "viewers", ...setup.switches } });

/** Returns an unused mark, by which a request is found in the log of the provider. */
export const freshMark = (): string => randomUUID();

/** Returns the body of a chat whose only message makes the provider play steps. `more` adds and replaces fields. */
export const chatOf = (steps: Step[], mark = "", more: object = {}): object => ({
  model: MODEL,
  messages: [{ role: "user", content: play(steps, mark) }],
  ...more,
});

/** Sends a chat as a page does. A string or bytes are sent unchanged. */
export const ask = (page: Page, body: object | string, headers: Header[] = [JSON_TYPE]): Promise<Answer> =>
  page.send(
    "POST",
    "/ai/chat",
    headers,
    typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  );

/** Sends a chat whose only message makes the provider play steps. */
export const askFor = (page: Page, steps: Step[], mark = ""): Promise<Answer> =>
  ask(page, chatOf(steps, mark));

/** Parses a block of an event stream. Returns null for a comment. An event must be one `data` line with a JSON object. */
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

/** Splits events into the text of the deltas and the last event. Asserts that all others are deltas with exactly their two fields. */
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

/** Returns the text, usage and cost of a response that is complete. */
export function doneOf(answer: Answer) {
  const { text, last } = endOf(answer);
  assert.ok(last?.type === "done", JSON.stringify(last));
  assert.deepEqual(Object.keys(last).sort(), ["cost", "type", "usage"]);
  assert.deepEqual(Object.keys(last.usage).sort(), USAGE_FIELDS);
  for (const tokens of Object.values(last.usage)) assert.ok(Number.isInteger(tokens) && tokens >= 0);
  return { text, usage: last.usage, cost: last.cost };
}

/** Returns the text before the failure of a response. The failure must be one `error` event, the last one. */
export function textBeforeError(answer: Answer): string {
  const { text, last } = endOf(answer);
  assert.ok(last?.type === "error", JSON.stringify(last));
  assert.deepEqual(Object.keys(last).sort(), ["code", "message", "type"]);
  assert.equal(last.code, "AI_UPSTREAM_ERROR");
  assert.ok(typeof last.message === "string" && last.message !== "");
  return text;
}

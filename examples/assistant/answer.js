import { explain } from "./messages.js";
import { MAX_TOKENS, MODEL, SYSTEM } from "./model.js";

/**
 * Sends `messages` to the model. Adds each piece of the answer to `turn.answer` as soon as it arrives, and then calls `show`. Resolves when
 * `turn.state` is `done`, `stopped` or `failed`; a stopped or failed answer keeps the pieces that arrived.
 */
export async function writeAnswer(turn, messages, signal, show) {
  try {
    const stream = easel.ai.stream(messages, { model: MODEL, system: SYSTEM, maxTokens: MAX_TOKENS, signal });
    for await (const text of stream) {
      turn.answer += text;
      show();
    }
    const { usage, cost } = stream;
    Object.assign(turn, { state: "done", usage, cost });
    if (turn.answer.trim() === "") Object.assign(turn, { state: "failed", problem: "The answer is empty." });
  } catch (error) {
    if (signal.aborted) turn.state = "stopped";
    else Object.assign(turn, { state: "failed", problem: explain(error) });
  }
}

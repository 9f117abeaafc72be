import { explain } from "./messages.js";
import { MAX_TOKENS, MODEL, SYSTEM } from "./model.js";

/**
 * Asks the model, and adds the texts of its answer to a turn as they arrive; calls `show` after each. Resolves when the turn is done,
 * stopped or failed. What has arrived until then is kept.
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

import type { TokenUsage } from "@easel/protocol/ai";

/**
 * A step of what the stand-in provider does with a request:
 * `status` responds with an error and ends; `text` and `think` send a delta; `wait` pauses for milliseconds; `error` sends an error event;
 * `raw` sends bytes as they are; `cut` destroys the connection; `hang` sends nothing more and keeps the connection open; `end` completes
 * the response with its usage (null sends none).
 */
export type Step =
  | { status: number; headers?: Record<string, string>; body?: string }
  | { text: string; times?: number; everyMs?: number }
  | { think: string }
  | { wait: number }
  | { error: string }
  | { raw: string }
  | { cut: true }
  | { hang: true }
  | { end: Partial<TokenUsage> | null };

/** The usage of a scripted response that does not set its own. */
export const USAGE: TokenUsage = {
  inputTokens: 12,
  outputTokens: 7,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

/** Returns the text of a user message that makes the provider play steps. `mark` finds the request in the provider's log. */
export const play = (steps: Step[], mark = ""): string => JSON.stringify({ play: steps, mark });

/** Returns the steps that a user message asks for. A message that asks for none is echoed. */
export function stepsIn(message: string): Step[] {
  try {
    const { play: steps } = JSON.parse(message) as { play?: Step[] };
    if (Array.isArray(steps)) return steps;
  } catch {
    // Plain text.
  }
  return [{ text: "You said: " }, { text: message }, { end: {} }];
}

import type { TokenUsage } from "@easel/protocol/ai";

/**
 * One step of the response of the stand-in provider to a request.
 * `status` sends an error response; `text` and `think` send a delta; `wait` pauses for that many milliseconds; `error` sends an error
 * event; `raw` sends bytes as they are; `cut` destroys the connection; `hang` sends nothing more and keeps the connection open; `end`
 * completes the response and reports these numbers of tokens, or none if it is null.
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

/** The numbers of tokens that the stand-in provider reports, unless the step `end` of the script sets others. */
export const USAGE: TokenUsage = {
  inputTokens: 12,
  outputTokens: 7,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

/**
 * Returns the text of a user message that tells the stand-in provider to respond with `steps`. The provider logs every request. `mark` is a
 * text by which a test finds the request in that log.
 */
export const play = (steps: Step[], mark = ""): string => JSON.stringify({ play: steps, mark });

/**
 * Returns the steps in a user message that `play` has built. For any other message, returns steps that respond with `You said: ` and the
 * message.
 */
export function stepsIn(message: string): Step[] {
  try {
    const { play: steps } = JSON.parse(message) as { play?: Step[] };
    if (Array.isArray(steps)) return steps;
  } catch {
    // Plain text.
  }
  return [{ text: "You said: " }, { text: message }, { end: {} }];
}

import type { TokenUsage } from "@easel/protocol/ai";
import type { Part, Prompt } from "../../drivers/ai/ai.ts";

/** The maximum number of tokens that a provider adds to each message, for example to mark its role. */
const TOKENS_PER_MESSAGE = 16;

/**
 * The number of bytes of UTF-8 that count as one token in an estimate. English has about four bytes per token and Chinese three. An
 * estimate should rather be too high than too low.
 */
const BYTES_PER_TOKEN = 3;

const promptBytes = ({ system = "", messages }: Prompt): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), Buffer.byteLength(system));

/** Returns the highest number of tokens that a prompt can have: each token is at least one byte. */
export const highestPromptTokens = (prompt: Prompt): number =>
  promptBytes(prompt) + TOKENS_PER_MESSAGE * (prompt.messages.length + 1);

/** Counts the tokens of an AI request while its response is streamed. Estimates the numbers that the provider has not sent. */
export class TokenMeter {
  readonly #prompt: Prompt;
  #input: TokenUsage | null = null;
  #final: TokenUsage | null = null;
  #outputBytes = 0;

  constructor(prompt: Prompt) {
    this.#prompt = prompt;
  }

  add(part: Part): void {
    if (part.type === "end") this.#final = part.usage;
    else if (part.type === "input") this.#input = part.usage;
    else this.#outputBytes += Buffer.byteLength(part.text);
  }

  /** The numbers of tokens so far. All are 0 if the provider has sent nothing, because it then charges nothing. */
  get usage(): TokenUsage {
    if (this.#final !== null) return this.#final;
    const started = this.#input !== null || this.#outputBytes > 0;
    return {
      inputTokens: started ? Math.ceil(promptBytes(this.#prompt) / BYTES_PER_TOKEN) : 0,
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
      ...this.#input,
      outputTokens: Math.ceil(this.#outputBytes / BYTES_PER_TOKEN),
    };
  }
}

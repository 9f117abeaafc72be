import type { TokenUsage } from "@easel/protocol/ai";
import type { Part, Prompt } from "../../drivers/ai/ai.ts";

/** The tokens by which a provider frames a message, at most. */
const TOKENS_PER_MESSAGE = 16;

/** The bytes of UTF-8 per token in an estimate: about four in English, three in Chinese. Three rather overestimates. */
const BYTES_PER_TOKEN = 3;

const promptBytes = ({ system = "", messages }: Prompt): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), Buffer.byteLength(system));

/** Returns the highest number of tokens that a prompt can have: each token is at least one byte. */
export const highestPromptTokens = (prompt: Prompt): number =>
  promptBytes(prompt) + TOKENS_PER_MESSAGE * (prompt.messages.length + 1);

/** Follows the tokens of a response. Estimates the kinds that the provider has not told. */
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

  /** The tokens so far: none if the provider has sent nothing, in which case it charges nothing. */
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

import type { TokenUsage } from "@easel/protocol/ai";
import type { Part, Prompt } from "../../drivers/ai/ai.ts";

/** The maximum number of tokens that a provider adds to each message, for example to mark its role. */
const TOKENS_PER_MESSAGE = 16;

/** The number of tokens that a provider may generate before it notices that the connection is closed: about two seconds of output. */
const TOKENS_IN_FLIGHT = 256;

const promptBytes = ({ system = "", messages }: Prompt): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), Buffer.byteLength(system));

/** Returns the highest number of tokens that a prompt can have: each token is at least one byte. */
export const highestPromptTokens = (prompt: Prompt): number =>
  promptBytes(prompt) + TOKENS_PER_MESSAGE * (prompt.messages.length + 1);

/** The tokens of a request. `inputTold` is false if those of the input are the highest possible number, in `inputTokens`. */
export interface Reading {
  usage: TokenUsage;
  inputTold: boolean;
}

/**
 * Counts the tokens of an AI request that was sent, while its response is streamed. Numbers that the provider has not told are the highest
 * possible ones, so that nobody gets work of the provider by aborting requests.
 */
export class TokenMeter {
  readonly #prompt: Prompt;
  readonly #tellsInputFirst: boolean;
  #input: TokenUsage | null = null;
  #final: TokenUsage | null = null;
  #ended = false;
  #outputBytes = 0;
  /** Whether there can be any number of output tokens besides the text that was received. */
  #hidden = false;

  constructor(prompt: Prompt, tellsInputFirst: boolean) {
    this.#prompt = prompt;
    this.#tellsInputFirst = tellsInputFirst;
  }

  add(part: Part): void {
    if (part.type === "end") {
      this.#ended = true;
      this.#final = part.usage;
    } else if (part.type === "input") this.#input = part.usage;
    else {
      this.#outputBytes += Buffer.byteLength(part.text);
      if (part.type === "thinking") this.#hidden = true;
    }
  }

  /** Notes that the provider may have generated output that was not read from the connection. */
  miss(): void {
    this.#hidden = true;
  }

  /** Returns the tokens so far. */
  read(): Reading {
    if (this.#final !== null) return { usage: this.#final, inputTold: true };
    const estimated = {
      inputTokens: highestPromptTokens(this.#prompt),
      cacheCreationInputTokens: 0,
      cacheReadInputTokens: 0,
    };
    return {
      usage: { ...(this.#input ?? estimated), outputTokens: this.#highestOutput() },
      inputTold: this.#input !== null,
    };
  }

  #highestOutput(): number {
    const { maxTokens } = this.#prompt;
    if (this.#hidden || (!this.#ended && !this.#tellsInputFirst)) return maxTokens;
    return Math.min(maxTokens, this.#outputBytes + (this.#ended ? 0 : TOKENS_IN_FLIGHT));
  }
}

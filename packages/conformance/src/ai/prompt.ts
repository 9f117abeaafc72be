import type { StandIn } from "../target.ts";
import type { Received } from "./provider.ts";

/** A text of a prompt. `cached` is true if the request asks the provider to cache the prompt from its beginning to the end of this text. */
export type PromptText = [role: string, text: string, cached: boolean];

interface Part {
  text: string;
  cache_control?: { type: string };
}

/** Returns the texts of one message in a request to the provider. `content` is one text, or a list of parts with one text each. */
const textsOf = (role: string, content: string | Part[]): PromptText[] =>
  typeof content === "string"
    ? [[role, content, false]]
    : content.map(({ text, cache_control }) => [role, text, cache_control?.type === "ephemeral"]);

/**
 * Reads a request that the provider has received. Returns all texts of its prompt, the system prompt first, and the maximum number of
 * output tokens.
 */
export function promptOf({ body }: Received, { wire }: StandIn): { texts: PromptText[]; maxTokens: unknown } {
  const system = wire === "anthropic" && body.system ? textsOf("system", body.system as Part[]) : [];
  const messages = body.messages as { role: string; content: string | Part[] }[];
  return {
    texts: [...system, ...messages.flatMap(({ role, content }) => textsOf(role, content))],
    maxTokens: body.max_tokens,
  };
}

import type { Received } from "./provider.ts";
import type { StandIn } from "./stand-in.ts";

/** A text of a prompt. `cached` tells whether the provider's cache is to end at it. */
export type PromptText = [role: string, text: string, cached: boolean];

interface Part {
  text: string;
  cache_control?: { type: string };
}

/** Returns the texts of one message. Providers accept a string or a list of parts. */
const textsOf = (role: string, content: string | Part[]): PromptText[] =>
  typeof content === "string"
    ? [[role, content, false]]
    : content.map(({ text, cache_control }) => [role, text, cache_control?.type === "ephemeral"]);

/** Returns the prompt that the provider has received: its texts, the system prompt first, and the maximum output. */
export function promptOf({ body }: Received, { wire }: StandIn): { texts: PromptText[]; maxTokens: unknown } {
  const system = wire === "anthropic" && body.system ? textsOf("system", body.system as Part[]) : [];
  const messages = body.messages as { role: string; content: string | Part[] }[];
  return {
    texts: [...system, ...messages.flatMap(({ role, content }) => textsOf(role, content))],
    maxTokens: body.max_tokens,
  };
}

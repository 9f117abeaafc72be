import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Prompt } from "./ai.ts";

/**
 * Returns the index of the last message before the newest user turn, or -1 if there is none. The newest user turn is the last user message,
 * together with the user messages directly before it.
 */
export function beforeNewestTurn(messages: Prompt["messages"]): number {
  let index = messages.findLastIndex(({ role }) => role === "user");
  while (messages[index]?.role === "user") index--;
  return index;
}

/**
 * Converts a prompt to the format of the AI SDK. Adds the option `breakpoint` to the messages up to which the provider caches the prompt:
 * the system prompt, and the last message before the newest user turn (specification 4.5). Omits the option for an empty text, because
 * providers would reject it.
 */
export function toSdkPrompt(
  { system, messages }: Prompt,
  breakpoint: SharedV4ProviderOptions | undefined,
): LanguageModelV4Prompt {
  const marked = breakpoint === undefined ? {} : { providerOptions: breakpoint };
  const last = beforeNewestTurn(messages);
  return [
    ...(system ? [{ role: "system" as const, content: system, ...marked }] : []),
    ...messages.map(({ role, content }, index) => ({
      role,
      content: [{ type: "text" as const, text: content }],
      ...(index === last && content !== "" ? marked : {}),
    })),
  ];
}

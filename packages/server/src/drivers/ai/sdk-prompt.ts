import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Prompt } from "./ai.ts";

/** Returns the index of the message before the newest user turn, which is the last run of user messages; -1 if there is none. */
export function beforeNewestTurn(messages: Prompt["messages"]): number {
  let index = messages.findLastIndex(({ role }) => role === "user");
  while (messages[index]?.role === "user") index--;
  return index;
}

/**
 * Converts a prompt to that of the AI SDK. `breakpoint` marks where the provider's prompt cache ends: at the system prompt, and at the last
 * message before the newest user turn (specification 4.5). Providers reject a mark on an empty text.
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

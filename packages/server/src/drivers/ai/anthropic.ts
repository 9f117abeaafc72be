import { createAnthropic } from "@ai-sdk/anthropic";
import { fetchDirectly, type SdkProvider } from "./sdk-ai.ts";

/** The models of Anthropic's Messages API. */
export function anthropic(apiKey: string, baseURL?: string, fetch = fetchDirectly): SdkProvider {
  const provider = createAnthropic({ apiKey, fetch, ...(baseURL ? { baseURL } : {}) });
  return {
    tellsInputFirst: true,
    model: (id) => provider(id),
    breakpoint: { anthropic: { cacheControl: { type: "ephemeral" } } },
  };
}

import { createAnthropic } from "@ai-sdk/anthropic";
import { fetchDirectly, type SdkProvider } from "./sdk-ai.ts";

/** The models of Anthropic's Messages API. */
export function anthropic(apiKey: string, baseURL: string | undefined): SdkProvider {
  const provider = createAnthropic({ apiKey, fetch: fetchDirectly, ...(baseURL ? { baseURL } : {}) });
  return {
    model: (id) => provider(id),
    breakpoint: { anthropic: { cacheControl: { type: "ephemeral" } } },
  };
}

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { fetchDirectly, type SdkProvider } from "./sdk-ai.ts";

const OPENAI = "https://api.openai.com/v1";

/** The models of OpenAI, or of another server that speaks its Chat Completions protocol. */
export function openai(apiKey: string, baseURL = OPENAI, fetch = fetchDirectly): SdkProvider {
  const provider = createOpenAICompatible({
    name: "openai",
    apiKey,
    baseURL,
    includeUsage: true,
    fetch,
    // OpenAI itself refuses `max_tokens` for its current models; other servers know no other name.
    ...(baseURL === OPENAI
      ? {
          transformRequestBody: ({ max_tokens, ...body }: Record<string, unknown>) => ({
            ...body,
            max_completion_tokens: max_tokens,
          }),
        }
      : {}),
  });
  return { tellsInputFirst: false, model: (id) => provider(id) };
}

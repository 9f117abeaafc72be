import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import type { Prompt } from "../../drivers/ai/ai.ts";
import { parseJson } from "../../http/body.ts";
import { refuse } from "../../http/refusal.ts";

const DEFAULT_MAX_TOKENS = 1024;

const Chat = z.object({
  model: z.string().min(1).max(200),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: z.string() })).min(1),
  system: z.string().optional(),
  maxTokens: z
    .int()
    .positive()
    .default(DEFAULT_MAX_TOKENS)
    .transform((tokens) => Math.min(tokens, LIMITS.aiMaxTokens.value)),
});

/** Parses the body of a chat (specification 4.5). Throws 400 `INVALID_BODY` with all faults. Unknown fields are ignored. */
export function parseChat(body: Buffer): Prompt {
  const result = Chat.safeParse(parseJson(body));
  return result.success ? result.data : refuse("INVALID_BODY", { message: z.prettifyError(result.error) });
}

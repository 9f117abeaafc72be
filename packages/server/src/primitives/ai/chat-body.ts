import type { ChatMessage } from "@easel/protocol/ai";
import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import type { Prompt } from "../../drivers/ai/ai.ts";
import { parseJson } from "../../http/body.ts";
import { validate } from "../../http/validate.ts";

const DEFAULT_MAX_TOKENS = 1024;

function isMessage(value: unknown): value is ChatMessage {
  const { role, content } = Object(value) as Record<string, unknown>;
  return (role === "user" || role === "assistant") && typeof content === "string";
}

/** At least one message. The check stops at the first fault, because a body can have a hundred thousand elements. */
const messages = z
  .custom<ChatMessage[]>(
    (value) => Array.isArray(value) && value.length > 0 && value.every(isMessage),
    'must be a list of at least one { role, content }, with the role "user" or "assistant" and a text as content',
  )
  .meta({
    type: "array",
    minItems: 1,
    items: {
      type: "object",
      properties: { role: { type: "string", enum: ["user", "assistant"] }, content: { type: "string" } },
      required: ["role", "content"],
    },
  })
  .transform((list) => list.map(({ role, content }) => ({ role, content })));

/** The schema of the body of a chat. Unknown fields are ignored. */
export const chatBody = z.object({
  model: z.string().min(1).max(200).meta({ description: "A model that the instance allows." }),
  messages,
  system: z.string().optional().meta({ description: "The system prompt." }),
  maxTokens: z
    .int()
    .positive()
    .default(DEFAULT_MAX_TOKENS)
    .transform((tokens) => Math.min(tokens, LIMITS.aiMaxTokens.value)),
});

/** Parses the body of a chat (specification 4.5). Throws 400 `INVALID_BODY` with the first faults. Unknown fields are ignored. */
export function parseChat(body: Buffer): Prompt {
  return validate(parseJson(body), chatBody);
}

import type { ChatMessage } from "@easel/protocol/ai";
import { LIMITS } from "@easel/protocol/limits";
import { z } from "zod";
import { textOf } from "../../http/validate.ts";

const DEFAULT_MAX_TOKENS = 1024;

const message: z.ZodType<ChatMessage> = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
});

/** At least one message. The check stops at the first fault, because a body can have a hundred thousand elements. */
const messages = z
  .custom<unknown[]>(
    (value) => Array.isArray(value) && value.length > 0,
    'must be a list of at least one { role, content }, with the role "user" or "assistant" and text as content',
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
  .transform((list, context) => {
    const parsed: ChatMessage[] = [];
    for (const [index, each] of list.entries()) {
      const { data, error } = message.safeParse(each, { error: textOf });
      const [fault] = error?.issues ?? [];
      if (fault !== undefined) {
        context.addIssue({ ...fault, path: [index, ...fault.path] });
        return z.NEVER;
      }
      parsed.push(data as ChatMessage);
    }
    return parsed;
  });

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

import type { ChatEvent } from "@easel/protocol/ai";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";
import { type Description, jsonBody } from "../description.ts";
import { chatBody } from "./chat-body.ts";

const usage = z
  .strictObject({
    inputTokens: z.int(),
    outputTokens: z.int(),
    cacheCreationInputTokens: z.int(),
    cacheReadInputTokens: z.int(),
  })
  .meta({ id: "TokenUsage" });

const chatEvent = exact<ChatEvent>()(
  "ChatEvent",
  z.union([
    z.strictObject({ type: z.literal("delta"), text: z.string() }),
    z.strictObject({
      type: z.literal("done"),
      usage,
      cost: z.number().meta({ description: "US dollars." }),
    }),
    z.strictObject({ type: z.literal("error"), code: z.string(), message: z.string() }),
  ]),
);

/** Describes `POST /ai/chat` for the OpenAPI document. */
export const aiOperations: Description = {
  title: "AI",
  summary: "Chats with AI models, within the budgets of the person and of the canvas.",
  operations: {
    "POST /ai/chat": {
      id: "ai.chat",
      summary: "Sends a conversation to a model and streams its answer.",
      details:
        "The response is a stream of server-sent events. The `data` of each event is a `ChatEvent` in JSON; the last one is `done`, or `error` if the provider fails after the stream has begun. The limit is 10 requests a minute.",
      body: jsonBody(chatBody),
      responses: {
        200: {
          description: "The events. The schema is that of one event's `data`.",
          type: "text/event-stream",
          schema: chatEvent,
        },
      },
      errors: [
        "BODY_TOO_LARGE",
        "MODEL_NOT_ALLOWED",
        "GUEST_AI_DISABLED",
        "PERMISSION_DENIED",
        "GUEST_AI_CAP",
        "QUOTA_EXCEEDED",
      ],
    },
  },
};
